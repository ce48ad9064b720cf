import assert from 'node:assert/strict';
import { runChecks } from '../../../activities/doctor/check.js';
import { clearTextFindings, encryptionCheck } from '../../../activities/doctor/checks/encryption.js';
import { testConfig } from '../../support/config.js';
import { useDatabase } from '../../support/for-each.js';

const settings = ['DATABASE_URL', 'REDIS_URL', 'TEMPORAL_ADDRESS', 'OTEL_EXPORTER_OTLP_ENDPOINT'];
const addressesAt = (host: string) => ({
  DATABASE_URL: `postgres://${host}/tidings`,
  REDIS_URL: `redis://${host}:6379`,
  TEMPORAL_ADDRESS: `${host}:7233`,
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://${host}:4318`,
});

describe('the check of encryption', () => {
  /** The settings whose connections are named. @param isEncrypted whether PostgreSQL says so */
  const named = (env: NodeJS.ProcessEnv, isEncrypted = false) =>
    clearTextFindings(testConfig(env), isEncrypted).map(({ state, detail }) => (state === 'warning' ? detail.split(':')[0] : state));

  for (const host of ['servers.example.com', '10.0.0.7', '[2001:db8::7]'])
    it(`connections to ${host} without TLS are named`, () => assert.deepEqual(named(addressesAt(host)), settings));

  // A name without a dot is one of a private network, for example that of docker compose.
  for (const host of ['127.0.0.1', '[::1]', 'localhost', 'postgres'])
    it(`connections to ${host} without TLS are not named`, () => assert.deepEqual(named(addressesAt(host)), []));

  it('connections to other machines with TLS are not named', () => {
    const env = addressesAt('servers.example.com');
    const encrypted = {
      REDIS_URL: env.REDIS_URL.replace('redis:', 'rediss:'),
      TEMPORAL_TLS: 'true',
      OTEL_EXPORTER_OTLP_ENDPOINT: env.OTEL_EXPORTER_OTLP_ENDPOINT.replace('http:', 'https:'),
    };
    assert.deepEqual(named({ ...env, ...encrypted }, true), []);
  });

  it('a database in a Unix socket is not named, and one behind the parameter host is', () => {
    assert.deepEqual(named({ DATABASE_URL: 'postgres://tidings@/tidings?host=/var/run/tidings.example' }), []);
    assert.deepEqual(named({ DATABASE_URL: 'postgres://localhost/tidings?host=10.0.0.7' }), ['DATABASE_URL']);
  });

  const database = useDatabase();
  it('PostgreSQL is asked whether its connection is encrypted', async () => {
    const config = testConfig({ DATABASE_URL: addressesAt('servers.example.com').DATABASE_URL });
    const findings = await runChecks([encryptionCheck], { config, db: database.db });
    assert.deepEqual(
      findings.map(({ subject, detail }) => [subject, detail]),
      [['encryption', 'DATABASE_URL: the connection to servers.example.com is not encrypted']],
    );
  });

  it('a PostgreSQL that does not answer is not named, because another check names it', async () => {
    const config = testConfig({ DATABASE_URL: addressesAt('servers.example.com').DATABASE_URL });
    const db = undefined as unknown as typeof database.db;
    assert.deepEqual(await runChecks([encryptionCheck], { config, db }), []);
  });
});
