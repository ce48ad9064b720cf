import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { forEachChannel } from '../../../models/channels.js';
import { requiredToRun } from '../../../models/settings/config.js';
import { missingText } from '../../../models/settings/setting-faults.js';
import { settings } from '../../../models/settings/settings.js';
import { faultsOf, load, required } from '../../support/load-settings.js';

const sandbox = { account: 'sandbox', weight: 1 };

describe('loadConfig', () => {
  it('a configuration has the defaults of the contract', () => {
    const config = load();
    const defaults = {
      port: 3000,
      host: '127.0.0.1',
      publicUrl: 'http://127.0.0.1:3000',
      callbackUrl: 'http://127.0.0.1:3000',
      dataDir: resolve('.data'),
      redisUrl: undefined,
      smtpUrl: undefined,
      demoReceiver: undefined,
      signupCredits: 0,
      sandboxDelayMs: 200,
      routes: forEachChannel(() => [sandbox]),
      reportTimeoutSeconds: { ...forEachChannel(() => 24 * 3_600), sms: 72 * 3_600 },
      webhookAllowedNetworks: [],
      webhookFirstAttempt: 'inline',
      webhookPorts: [443, 8443],
    };
    assert.deepEqual({ ...config, ...defaults }, config);
  });

  it('a configuration has the limits of the contract by default', () => {
    const { rateLimits, quotas } = load();
    assert.deepEqual(rateLimits, {
      api: { points: 100, seconds: 60 },
      jwt: { points: 100, seconds: 60 },
      bulk: { points: 10, seconds: 60 },
      auth: { points: 5, seconds: 900 },
      login: { points: 600, seconds: 60 },
      workspace: { points: 1000, seconds: 60 },
    });
    assert.deepEqual(quotas, { apiKeys: 100, webhooks: 25, replays: 2, openBatches: 50, streams: 20, placeholders: 200 });
  });

  it('a loaded configuration cannot be changed', () => {
    assert.throws(() => Object.assign(load(), { port: 1 }), TypeError);
  });

  it('every missing setting is named, and an empty one counts as missing', () => {
    assert.deepEqual(faultsOf({}).toSorted(), requiredToRun.map(missingText).toSorted());
    assert.deepEqual(faultsOf({ ...required, DATABASE_URL: '' }), [missingText('DATABASE_URL')]);
    assert.deepEqual(faultsOf({}, []), []);
  });

  it('former secrets that contain commas are read from a list in JSON', () => {
    const [one, two] = [`a,${'b'.repeat(40)}, "c"`, `[${'d'.repeat(40)}`];
    const lists = { JWT_SECRETS_OLD: JSON.stringify([one, two]), SECRET_KEYS_OLD: `${two}, ${'e'.repeat(32)}` };
    const { jwtSecrets, secretKeys } = load(lists);
    assert.deepEqual(
      [jwtSecrets.slice(1), secretKeys.slice(1)],
      [
        [one, two],
        [two, 'e'.repeat(32)],
      ],
    );
    assert.deepEqual(faultsOf({ ...required, JWT_SECRETS_OLD: '["short"]' }).length, 1);
  });

  it('every wrong setting is named without its value', () => {
    const wrong = {
      PORT: '70000',
      PUBLIC_URL: 'ftp://example.test',
      DATABASE_URL: 'mysql://secretuser@host/db',
      TEMPORAL_ADDRESS: 'no-port',
      JWT_SECRET: 'shortsecret',
      RATE_LIMIT_API: '100',
      RATE_LIMIT_AUTH: '0/60',
      WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8,nonsense',
      WEBHOOK_PORTS: '443,99999',
      WEBHOOK_RETRY_DELAYS: '5,-1',
      WEBHOOK_FIRST_ATTEMPT: 'never',
      PROVIDER_SMS: 'pigeon',
      SIGNUP_CREDITS: '-1',
      SANDBOX_DELAY_MS: '1.5',
    };
    const faults = faultsOf({ ...required, ...wrong });
    assert.deepEqual(faults.map((fault) => /^\w+/.exec(fault)?.[0] ?? fault).toSorted(), Object.keys(wrong).toSorted());
    for (const secret of ['secretuser', 'shortsecret']) assert.ok(!faults.join('\n').includes(secret), 'secrets are not repeated');
    assert.ok(faults.includes('RATE_LIMIT_API must be count/seconds, for example 100/60'));
  });

  it('a wrong item of a list is named by its number, without its value', () => {
    const wrong = {
      TRUSTED_PROXIES: '10.0.0.0/8, proxy.example.test',
      CORS_ORIGINS: 'https://a.example,b.example',
      JWT_SECRETS_OLD: 'shortsecret',
      PROVIDER_LIMITS: 'twilio=10,meta',
      WEBHOOK_ALLOWED_NETWORKS: '10.0.0.1',
      WEBHOOK_RETRY_DELAYS: '5,x',
    };
    assert.deepEqual(faultsOf({ ...required, ...wrong }).toSorted(), [
      'CORS_ORIGINS: item 2 must be * or scheme, host and port, for example https://app.example.com',
      'JWT_SECRETS_OLD: item 1 must have at least 32 characters',
      'PROVIDER_LIMITS: item 2 must be name=number, for example sandbox=100',
      'TRUSTED_PROXIES: item 2 must be an address or a network, for example 10.0.0.0/8',
      'WEBHOOK_ALLOWED_NETWORKS: item 1 must be a network, for example 10.0.0.0/8',
      'WEBHOOK_RETRY_DELAYS: item 2 must be a number',
    ]);
  });

  it('a sender of mails may have any name, and may be on this machine', () => {
    for (const MAIL_FROM of [
      '"Example <Inc.>" <hello@example.com>',
      'hello@example.com',
      '<hello@example.com>',
      'root@localhost',
      'A <root@localhost>',
    ])
      assert.equal(load({ MAIL_FROM }).mailFrom, MAIL_FROM);
  });

  it('ports and addresses that do not exist are refused', () => {
    const given = {
      PUBLIC_URL: 'http://api.example.test:99999',
      TEMPORAL_ADDRESS: 'temporal.example.test:99999',
      STRIPE_API_BASE: 'https://api.example.test:99999',
    };
    assert.deepEqual(
      faultsOf({ ...required, ...given }).map((fault) => /^\w+/.exec(fault)?.[0]),
      Object.keys(given),
    );
    const none = faultsOf({ ...required, PUBLIC_URL: 'nothing', STRIPE_API_BASE: 'nothing', TWILIO_API_BASE: 'nothing' });
    assert.deepEqual(none.toSorted(), [
      'PUBLIC_URL must be a URL, for example https://tidings.example.com',
      'STRIPE_API_BASE must be scheme, host and port, for example https://api.stripe.com',
      'TWILIO_API_BASE must be https, host and port, for example https://api.example.com',
    ]);
    const isServer = (WEBHOOK_DNS_SERVERS: string) => faultsOf({ ...required, WEBHOOK_DNS_SERVERS }).length === 0;
    for (const good of ['192.0.2.1', '192.0.2.1:5353', '2001:db8::1, [2001:db8::1]:53', '']) assert.ok(isServer(good), good);
    for (const bad of ['999.0.2.1', '192.0.2.1:0', '192.0.2.1:99999', '[2001:db8::1]:0', '[192.0.2.1]:53', 'dns.example.test', '1:2'])
      assert.ok(!isServer(bad), bad);
  });

  it('settings of lists, limits and credits are read', () => {
    const config = load({
      WEBHOOK_ALLOWED_NETWORKS: '10.0.0.0/8, fd00::/8',
      WEBHOOK_RETRY_DELAYS: '1, 2.5,3',
      WEBHOOK_PORTS: '443',
      RATE_LIMIT_BULK: '7/300',
      SIGNUP_CREDITS: '0.1',
      TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8',
    });
    assert.deepEqual(
      [config.webhookAllowedNetworks, config.webhookRetryDelaysSeconds, config.webhookPorts],
      [['10.0.0.0/8', 'fd00::/8'], [1, 2.5, 3], [443]],
    );
    assert.deepEqual(
      [config.rateLimits.bulk, config.signupCredits, config.trustedProxies],
      [{ points: 7, seconds: 300 }, 100, ['127.0.0.1', '10.0.0.0/8']],
    );
  });

  for (const [host, url] of [
    ['0.0.0.0', 'http://127.0.0.1:3000'],
    ['::', 'http://127.0.0.1:3000'],
    ['::1', 'http://[::1]:3000'],
    ['api.example.test', 'http://api.example.test:3000'],
  ] as const) {
    it(`the API is reached at ${url} when it listens on ${host}`, () => assert.equal(load({ HOST: host }).publicUrl, url));
  }

  it('a public address loses the slash at its end', () => {
    const { publicUrl, callbackUrl } = load({
      PUBLIC_URL: 'https://api.example.test/base/',
      CALLBACK_URL: 'https://in.example.test//',
      TRUSTED_PROXIES: 'none',
    });
    assert.deepEqual([publicUrl, callbackUrl], ['https://api.example.test/base', 'https://in.example.test']);
  });

  it('unknown variables are ignored, and every setting has a description', () => {
    assert.deepEqual(load({ PATH: '/bin', NO_SUCH_SETTING: 'x' }), load());
    for (const [name, schema] of Object.entries(settings))
      assert.ok((schema.describe().flags as { description?: string } | undefined)?.description, name);
  });
});
