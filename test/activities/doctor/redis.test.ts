import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { runChecks } from '../../../activities/doctor/check.js';
import { redisCheck } from '../../../activities/doctor/checks/servers.js';
import { issueCertificate, makeAuthority } from '../../../local/tls/certificates.js';
import type { Database } from '../../../models/db/database.js';
import { testConfig } from '../../support/config.js';
import { startRedis } from '../../support/parts/redis.js';

describe('findings of the doctor about Redis', () => {
  const redisFinding = async (REDIS_URL: string) => {
    const [finding] = await runChecks([redisCheck], { config: testConfig({ REDIS_URL }), db: undefined as unknown as Database });
    return [finding?.state, finding?.detail];
  };

  it('findings of the doctor name a Redis that refuses writes', async function () {
    if (process.env.TEST_REDIS === undefined) this.skip();
    const redis = await startRedis();
    await redis.limitMemory('1');
    const [state, detail] = await redisFinding(redis.url);
    await redis.kill();
    assert.equal(state, 'failed');
    assert.match(detail ?? '', /^OOM /);
  });

  it('findings of the doctor name a Redis that permits no scripts', async function () {
    if (process.env.TEST_REDIS === undefined) this.skip();
    const redis = await startRedis();
    await redis.command('ACL', 'SETUSER', 'ada', 'on', '>secret', '~tidings:limit:*', '+@all', '-@scripting');
    const [state, detail] = await redisFinding(redis.url.replace('//', '//ada:secret@'));
    await redis.kill();
    assert.equal(state, 'failed');
    assert.match(detail ?? '', /^NOPERM /);
  });

  it('findings of the doctor say why Redis cannot be used: a wrong password', async function () {
    if (process.env.TEST_REDIS === undefined) this.skip();
    const redis = await startRedis();
    await redis.command('CONFIG', 'SET', 'requirepass', 'secret');
    const seen = await redisFinding(redis.url.replace('//', '//:wrong@'));
    await redis.kill();
    assert.deepEqual(seen, ['failed', 'WRONGPASS invalid username-password pair or user is disabled.']);
  });

  it('findings of the doctor say why Redis cannot be used: an untrusted certificate', async () => {
    const own = await issueCertificate(await makeAuthority('somebody else'), { names: ['localhost'] });
    const server = createServer(own).on('tlsClientError', () => undefined);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const seen = await redisFinding(`rediss://localhost:${(server.address() as AddressInfo).port}`);
    server.close();
    assert.deepEqual(seen, ['failed', 'unable to verify the first certificate']);
  });
});
