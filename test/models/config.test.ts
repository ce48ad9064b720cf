import assert from 'node:assert/strict';
import { resolve } from 'node:path';
import { ConfigError, loadConfig, requiredToRun, settings } from '../../models/config.js';

const required = {
  DATABASE_URL: 'postgres://user:secret@127.0.0.1:5432/tidings',
  TEMPORAL_ADDRESS: '127.0.0.1:7233',
  JWT_SECRET: 'j'.repeat(32),
  SECRET_KEY: 's'.repeat(32),
};
const load = (env: NodeJS.ProcessEnv = {}) => loadConfig({ ...required, ...env });
const faultsOf = (env: NodeJS.ProcessEnv, names?: string[]): string[] => {
  try {
    loadConfig(env, names);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults;
  }
  return [];
};

const sandbox = { account: 'sandbox', weight: 1 };

describe('loadConfig', () => {
  it('has the defaults of decisions §10', () => {
    const config = load();
    const {
      port,
      host,
      signupCredits,
      rateLimits,
      webhookAllowedNetworks,
      webhookFirstAttempt,
      sandboxDelayMs,
      routes,
      publicUrl,
      callbackUrl,
      dataDir,
    } = config;
    assert.deepEqual(
      {
        port,
        host,
        signupCredits,
        rateLimits,
        webhookAllowedNetworks,
        webhookFirstAttempt,
        sandboxDelayMs,
        routes,
        publicUrl,
        callbackUrl,
        dataDir,
      },
      {
        port: 3000,
        host: '127.0.0.1',
        signupCredits: 0,
        rateLimits: {
          api: { points: 100, seconds: 60 },
          jwt: { points: 100, seconds: 60 },
          bulk: { points: 10, seconds: 60 },
          auth: { points: 5, seconds: 900 },
        },
        webhookAllowedNetworks: [],
        webhookFirstAttempt: 'inline',
        sandboxDelayMs: 200,
        routes: { sms: [sandbox], whatsapp: [sandbox], email: [sandbox] },
        publicUrl: 'http://127.0.0.1:3000',
        callbackUrl: 'http://127.0.0.1:3000',
        dataDir: resolve('.data'),
      },
    );
    assert.deepEqual(
      [config.webhookPorts, config.redisUrl, config.smtpUrl, config.demoReceiver],
      [[443, 8443], undefined, undefined, undefined],
    );
    assert.deepEqual(config.reportTimeoutSeconds, { sms: 72 * 3_600, whatsapp: 24 * 3_600, email: 24 * 3_600 });
  });

  it('cannot be changed afterwards', () => {
    assert.throws(() => Object.assign(load(), { port: 1 }), TypeError);
  });

  it('names every missing setting at once, and takes an empty one as missing', () => {
    assert.deepEqual(faultsOf({}).toSorted(), requiredToRun.map((name) => `${name} is not set`).toSorted());
    assert.deepEqual(faultsOf({ ...required, DATABASE_URL: '' }), ['DATABASE_URL is not set']);
    assert.deepEqual(faultsOf({}, []), []);
  });

  it('names every wrong setting at once, none of them with its value', () => {
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

  const twilio = { TWILIO_ACCOUNT_SID: 'AC1', TWILIO_AUTH_TOKEN: 'token-1', TWILIO_FROM: '+15005550100' };

  it('lets accounts share a channel, each with settings of its own or those of its kind', () => {
    const { routes, accounts } = load({
      ...twilio,
      PROVIDER_SMS: 'twilio=3, backup=0',
      PROVIDER_ACCOUNTS: 'backup=twilio,old=postmark',
      BACKUP_TWILIO_AUTH_TOKEN: 'token-2',
      BACKUP_TWILIO_API_BASE: 'https://backup.example.test',
      OLD_EMAIL_FROM: 'old@example.test',
      OLD_POSTMARK_SERVER_TOKEN: 'server',
    });
    assert.deepEqual(routes.sms, [
      { account: 'twilio', weight: 3 },
      { account: 'backup', weight: 0 },
    ]);
    const own = accounts.flatMap((account) =>
      account.kind === 'twilio' ? [[account.name, account.accountSid, account.authToken, account.apiBase]] : [],
    );
    assert.deepEqual(own, [
      ['twilio', 'AC1', 'token-1', 'https://api.twilio.com'],
      ['backup', 'AC1', 'token-2', 'https://backup.example.test'],
    ]);
    const old = accounts.find(({ name }) => name === 'old');
    assert.equal(old?.kind, 'postmark', 'one that carries nothing any more still answers for what it took');
  });

  for (const [what, env, fault] of [
    [
      'an account that nobody named',
      { PROVIDER_SMS: 'twilio,pigeon' },
      'PROVIDER_SMS: pigeon is no account that carries sms: sandbox, twilio',
    ],
    [
      'a kind that does not carry the channel',
      { PROVIDER_SMS: 'mail', PROVIDER_ACCOUNTS: 'mail=smtp' },
      'PROVIDER_SMS: mail is no account that carries sms: sandbox, twilio',
    ],
    ['an account twice', { PROVIDER_SMS: 'twilio,twilio=2' }, 'PROVIDER_SMS: an account is named twice'],
    ['nobody with a weight', { PROVIDER_SMS: 'twilio=0' }, 'PROVIDER_SMS: one weight at least must be above 0'],
    ['a name that is a kind', { PROVIDER_ACCOUNTS: 'meta=twilio' }, 'PROVIDER_ACCOUNTS: the name meta is taken'],
    ['a name twice', { PROVIDER_ACCOUNTS: 'one=twilio,one=smtp' }, 'PROVIDER_ACCOUNTS: the name one is taken'],
    [
      'an unknown kind',
      { PROVIDER_ACCOUNTS: 'one=pigeon' },
      'PROVIDER_ACCOUNTS: the kinds are sandbox, twilio, meta, smtp, ses, postmark, sendgrid',
    ],
    ['a list that is none', { PROVIDER_SMS: 'twilio=many' }, 'PROVIDER_SMS must be accounts with weights, for example twilio=3,backup=1'],
    [
      'a bad setting of its own',
      { PROVIDER_SMS: 'one', PROVIDER_ACCOUNTS: 'one=twilio', ONE_TWILIO_FROM: '#' },
      'ONE_TWILIO_FROM must be a phone number, a short code, a sender name or the SID of a messaging service',
    ],
  ] as const) {
    it(`refuses ${what}`, () => assert.deepEqual(faultsOf({ ...required, ...twilio, ...env }), [fault]));
  }

  it('names the setting of its own that an account lacks', () => {
    const env = { PROVIDER_SMS: 'one', PROVIDER_ACCOUNTS: 'one=twilio', TWILIO_ACCOUNT_SID: 'AC1' };
    assert.deepEqual(faultsOf({ ...required, ...env }).toSorted(), ['ONE_TWILIO_AUTH_TOKEN is not set', 'ONE_TWILIO_FROM is not set']);
  });

  it('wants of a provider that is chosen what it cannot do without', () => {
    assert.deepEqual(faultsOf({ ...required, PROVIDER_EMAIL: 'smtp' }).toSorted(), ['EMAIL_FROM is not set', 'EMAIL_SMTP_URL is not set']);
    const email = { PROVIDER_EMAIL: 'smtp', EMAIL_SMTP_URL: 'smtps://user:pass@mail.example.test' };
    for (const from of ['hello@example.test', 'Söhne Co. <hello@example.test>']) {
      assert.deepEqual(load({ ...email, EMAIL_FROM: from }).accounts.at(-1), {
        name: 'smtp',
        kind: 'smtp',
        url: email.EMAIL_SMTP_URL,
        from,
      });
    }
    for (const from of ['hello', '<hello@example.test', 'a@example.test, b@example.test', '"x" <hello@example.test>']) {
      assert.match(faultsOf({ ...required, ...email, EMAIL_FROM: from })[0] ?? '', /^EMAIL_FROM must be an e-mail address/);
    }
  });

  it('finds Amazon where the region is', () => {
    const ses = {
      PROVIDER_EMAIL: 'ses',
      EMAIL_FROM: 'hello@example.test',
      SES_ACCESS_KEY_ID: 'id',
      SES_SECRET_ACCESS_KEY: 'secret',
      SES_TOPIC_ARN: 'arn:aws:sns:eu-west-1:123456789012:events',
    };
    const basesIn = (region: string) => {
      const account = load({ ...ses, SES_REGION: region }).accounts.at(-1);
      return account?.kind === 'ses' ? [account.apiBase, account.snsBase] : [];
    };
    assert.deepEqual(basesIn('eu-west-1'), ['https://email.eu-west-1.amazonaws.com', 'https://sns.eu-west-1.amazonaws.com']);
    assert.deepEqual(basesIn('cn-north-1'), ['https://email.cn-north-1.amazonaws.com.cn', 'https://sns.cn-north-1.amazonaws.com.cn']);
    assert.match(faultsOf({ ...required, ...ses, SES_REGION: 'mars' })[0] ?? '', /^SES_REGION must be a region/);
  });

  it('reads lists, limits and credits', () => {
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
    it(`is reached at ${url} when it listens on ${host}`, () => assert.equal(load({ HOST: host }).publicUrl, url));
  }

  it('takes the public address as it is given, without a slash at its end', () => {
    const { publicUrl, callbackUrl } = load({ PUBLIC_URL: 'https://api.example.test/base/', CALLBACK_URL: 'https://in.example.test//' });
    assert.deepEqual([publicUrl, callbackUrl], ['https://api.example.test/base', 'https://in.example.test']);
  });

  it('ignores what is not a setting, and describes every setting that is one', () => {
    assert.deepEqual(load({ PATH: '/bin', NO_SUCH_SETTING: 'x' }), load());
    for (const [name, schema] of Object.entries(settings))
      assert.ok((schema.describe().flags as { description?: string } | undefined)?.description, name);
  });
});
