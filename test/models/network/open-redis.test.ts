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
import { until } from '../../support/client.js';
import { testConfig } from '../../support/config.js';

describe('a Redis whose TLS server chooses its certificate by name', () => {
  let server: Server;
  const asked = new Set<string>();
  const urlOf = (host: string) => `rediss://${host}:${(server.address() as AddressInfo).port}`;

  before(async () => {
    const authority = await makeAuthority('somebody else');
    const [other, own] = await Promise.all(['other.internal', 'localhost'].map((name) => issueCertificate(authority, { names: [name] })));
    server = createServer({
      ...other,
      SNICallback(name, choose) {
        asked.add(name);
        choose(null, createSecureContext(own));
      },
    }).on('tlsClientError', () => undefined);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  beforeEach(() => asked.clear());
  after(() => server.close());

  /** The authority is not trusted here, which ends each handshake after the server has chosen. */
  const untrusted = 'unable to verify the first certificate';
  const handshakeWith = async (host: string) => {
    const errors: string[] = [];
    const { redis } = connectRedis(urlOf(host), createLogger('test', 'silent'));
    redis.on('error', ({ message }: Error) => errors.push(message));
    await until(async () => errors.includes(untrusted), 'the client has looked at the certificate').finally(() => redis.disconnect());
  };

  it('no name is sent to a TLS server of Redis that is given by its address', async () => {
    await handshakeWith('127.0.0.1');
    assert.deepEqual([...asked], []);
  });

  it('the API tells a TLS server of Redis the name of its host', async () => {
    await handshakeWith('localhost');
    assert.deepEqual([...asked], ['localhost']);
  });

  it('the doctor tells a TLS server of Redis the name of its host', async () => {
    const config = testConfig({ REDIS_URL: urlOf('localhost') });
    const [finding] = await runChecks([redisCheck], { config, db: undefined as unknown as Database });
    assert.deepEqual([finding?.detail, [...asked]], [untrusted, ['localhost']]);
  });
});
