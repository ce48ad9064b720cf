import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from '../../../models/settings/config.js';
import { testConfig } from '../../support/config.js';

const faultsOf = (env: NodeJS.ProcessEnv): string[] => {
  try {
    testConfig(env);
    return [];
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
};

describe('the settings of connections', () => {
  const channelArgs = { 'grpc.enable_http_proxy': 0 };
  const folder = mkdtempSync(join(tmpdir(), 'tidings-connections-'));
  const file = join(folder, 'some.pem');
  before(() => writeFileSync(file, 'a certificate'));
  after(() => rmSync(folder, { recursive: true }));

  it('the connection to Temporal has no TLS by default', () => {
    assert.deepEqual(testConfig({ TEMPORAL_ADDRESS: 'temporal:7233' }).temporalServer, { address: 'temporal:7233', channelArgs });
  });

  it('the connection to Temporal has TLS with an API key or a certificate', () => {
    assert.deepEqual(testConfig({ TEMPORAL_ADDRESS: 'x:1', TEMPORAL_API_KEY: 'key' }).temporalServer, {
      address: 'x:1',
      channelArgs,
      apiKey: 'key',
      tls: {},
    });
    const { tls } = testConfig({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: file, TEMPORAL_TLS_SERVER_NAME: 'temporal.example' }).temporalServer;
    assert.equal(tls?.serverNameOverride, 'temporal.example');
    assert.equal(Buffer.from(tls?.serverRootCACertificate ?? []).toString(), 'a certificate');
  });

  it('a certificate and its key are read from the environment', () => {
    const { tls } = testConfig({ TEMPORAL_TLS_CLIENT_CERT_DATA: 'certificate', TEMPORAL_TLS_CLIENT_KEY_DATA: 'key' }).temporalServer;
    assert.deepEqual(
      [tls?.clientCertPair?.crt, tls?.clientCertPair?.key].map((part) => Buffer.from(part ?? []).toString()),
      ['certificate', 'key'],
    );
  });

  it('a certificate without its key, a file that cannot be read and an API key without TLS are refused', () => {
    assert.match(faultsOf({ TEMPORAL_TLS_CLIENT_CERT_DATA: 'certificate' }).join(), /must be set together/);
    assert.match(faultsOf({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: join(folder, 'none.pem') }).join(), /cannot be read/);
    assert.deepEqual(faultsOf({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: folder }), [
      `TEMPORAL_TLS_SERVER_CA_CERT_PATH: the file ${folder} cannot be read`,
    ]);
    assert.match(faultsOf({ TEMPORAL_API_KEY: 'key', TEMPORAL_TLS: 'false' }).join(), /clear text/);
  });

  it('an https PUBLIC_URL without TRUSTED_PROXIES is refused', () => {
    const PUBLIC_URL = 'https://api.example.test';
    assert.match(faultsOf({ PUBLIC_URL }).join(), /^TRUSTED_PROXIES must be set/);
    assert.deepEqual(testConfig({ PUBLIC_URL, TRUSTED_PROXIES: 'none' }).trustedProxies, []);
    assert.deepEqual(testConfig({ PUBLIC_URL, TRUSTED_PROXIES: '10.0.0.0/8' }).trustedProxies, ['10.0.0.0/8']);
    assert.deepEqual(faultsOf({ PUBLIC_URL: 'http://api.example.test' }), []);
  });

  it('an address that leads nowhere and a list without items are each refused in one sentence', () => {
    const wrong = {
      DATABASE_URL: '127.0.0.1:5432',
      SMTP_URL: 'smtp:mail.example.test',
      EMAIL_SMTP_URL: 'smtp://mail.example.test:99999',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:99999',
      STRIPE_API_BASE: 'stripe',
      MAIL_FROM: 'Tidings',
      WEBHOOK_PORTS: ',',
      WEBHOOK_RETRY_DELAYS: ' ',
    };
    assert.deepEqual(faultsOf(wrong).toSorted(), [
      'DATABASE_URL must be a URL, for example postgres://user:password@127.0.0.1:5432/tidings',
      'EMAIL_SMTP_URL must be a URL, for example smtps://user:password@mail.example.com',
      'MAIL_FROM must be an e-mail address, for example Example <hello@example.com>',
      'OTEL_EXPORTER_OTLP_ENDPOINT must be a URL, for example http://127.0.0.1:4318',
      'SMTP_URL must be a URL, for example smtps://user:password@mail.example.com',
      'STRIPE_API_BASE must be scheme, host and port, for example https://api.stripe.com',
      'WEBHOOK_PORTS must have at least one item',
      'WEBHOOK_RETRY_DELAYS must have at least one item',
    ]);
  });
});
