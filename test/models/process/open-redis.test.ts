import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createSecureContext, createServer, type Server } from 'node:tls';
import { runChecks } from '../../../activities/doctor/check.js';
import { redisCheck } from '../../../activities/doctor/checks/servers.js';
import { connectRedis } from '../../../api/http/limits/redis.js';
import { issueCertificate, makeAuthority } from '../../../local/tls/certificates.js';
import type { Database } from '../../../models/db/database.js';
import { createLogger } from '../../../models/process/logger.js';
import { testConfig } from '../../support/config.js';

describe('a Redis whose TLS server chooses its certificate by name', () => {
  let server: Server;
  let asked: string[] = [];
  const urlOf = (host: string) => `rediss://${host}:${(server.address() as AddressInfo).port}`;

  before(async () => {
    const authority = await makeAuthority('somebody else');
    const [other, own] = await Promise.all(['other.internal', 'localhost'].map((name) => issueCertificate(authority, { names: [name] })));
    server = createServer({
      ...other,
      SNICallback(name, choose) {
        asked.push(name);
        choose(null, createSecureContext(own));
      },
    }).on('tlsClientError', () => undefined);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  beforeEach(() => (asked = []));
  after(() => server.close());

  const connect = async (host: string) => {
    const redis = connectRedis(urlOf(host), createLogger('test', 'silent'));
    const [error] = (await once(redis, 'error')) as [Error];
    redis.disconnect();
    return error.message;
  };
  /** The authority is not trusted here, which ends the handshake after the server has chosen. */
  const untrusted = 'unable to verify the first certificate';

  it('the API tells a TLS server of Redis the name of its host', async () => {
    assert.equal(await connect('localhost'), untrusted);
    assert.deepEqual([...new Set(asked)], ['localhost']);
  });

  it('the doctor tells a TLS server of Redis the name of its host', async () => {
    const config = testConfig({ REDIS_URL: urlOf('localhost') });
    const [finding] = await runChecks([redisCheck], { config, db: undefined as unknown as Database });
    assert.deepEqual([finding?.detail, asked], [untrusted, ['localhost']]);
  });

  it('no name is sent to a TLS server of Redis that is given by its address', async () => {
    assert.equal(await connect('127.0.0.1'), untrusted);
    assert.deepEqual(asked, []);
  });
});
