import assert from 'node:assert/strict';
import { channels } from '../../../models/channels.js';
import { configWarnings } from '../../../models/settings/config-warnings.js';
import { nowhere } from '../../support/carriers/counterpart.js';
import { metaEnv } from '../../support/carriers/meta.js';
import { stripeEnv } from '../../support/carriers/payments.js';
import { twilioEnv } from '../../support/carriers/twilio.js';
import { testConfig } from '../../support/config.js';

const mail = { PROVIDER_EMAIL: 'smtp', EMAIL_SMTP_URL: 'smtps://mail.example.com', EMAIL_FROM: 'news@example.com' };
const stripe = stripeEnv(nowhere.url);

describe('configWarnings', () => {
  const found = (env: NodeJS.ProcessEnv) => configWarnings(testConfig(env)).map(({ state, subject, fix }) => [state, subject, fix]);

  it('a channel that uses the sandbox beside a real carrier gets a warning that names its setting', () => {
    const fixOf = (channel: string) => `Set PROVIDER_${channel.toUpperCase()} before messages are sent on it`;
    const others = channels.filter((channel) => channel !== 'email');
    assert.deepEqual(
      found(mail),
      others.map((channel) => ['warning', `channel ${channel}`, fixOf(channel)]),
    );
  });
  it('the sandbox alone gets no warning, with or without test payments', () => {
    assert.deepEqual([found({}), found(stripe)], [[], []]);
  });

  it('an account that serves no channel, or has only settings of another, gets a warning, and a standby gets none', () => {
    const twilio = {
      TWILIO_ACCOUNT_SID: 'AC1',
      TWILIO_AUTH_TOKEN: 'token',
      TWILIO_FROM: '+15005550100',
      PROVIDER_ACCOUNTS: 'backup=twilio',
    };
    const fix = 'Name it in PROVIDER_SMS or PROVIDER_WHATSAPP, or remove its settings when its last delivery reports have come';
    const idle = (env: NodeJS.ProcessEnv) => found({ ...twilio, ...env }).filter(([, subject]) => subject?.startsWith('account '));
    const of = (account: string) => ['warning', `account ${account}`, fix];
    assert.deepEqual(idle({}), [of('backup'), of('twilio')]);
    assert.deepEqual(idle({ PROVIDER_SMS: 'twilio' }), [of('backup')]);
    assert.deepEqual(idle({ PROVIDER_SMS: 'twilio,backup=0', BACKUP_TWILIO_AUTH_TOKEN: 'other' }), []);
    const same = 'Give it settings of its own, BACKUP_TWILIO_… (with docker compose in accounts.env)';
    assert.deepEqual(idle({ PROVIDER_SMS: 'twilio,backup=0' }), [['warning', 'account backup', same]]);
    const ofKind = { PROVIDER_ACCOUNTS: 'eu=twilio,us=twilio', EU_TWILIO_FROM: '+15005550101', US_TWILIO_FROM: '+15005550102' };
    assert.deepEqual(idle({ ...ofKind, PROVIDER_SMS: 'eu,us' }), [], 'both use the settings of their kind');
  });

  for (const [missing, given] of [
    ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'],
    ['STRIPE_WEBHOOK_SECRET', 'STRIPE_SECRET_KEY'],
  ] as const)
    it(`a missing ${missing} is named if the other setting of payments is given`, () => {
      const [warning, ...others] = configWarnings(testConfig({ ...stripe, [missing]: undefined }));
      assert.deepEqual([warning?.state, warning?.subject, warning?.fix, others], ['failed', 'payments', `Set it, or remove ${given}`, []]);
      assert.match(warning?.text ?? '', new RegExp(`${missing} is missing`));
    });

  it('a live key of payments gets a warning while all channels use the sandbox', () => {
    assert.deepEqual(found({ ...stripe, STRIPE_SECRET_KEY: 'sk_live_1' }), [
      ['warning', 'payment mode', 'Set a test key of Stripe, or real carriers for the channels'],
    ]);
  });
  const ofMode = (env: NodeJS.ProcessEnv) => found(env).filter(([, subject]) => subject === 'payment mode');
  it('a test key of payments is a failure beside a real carrier', () => {
    assert.deepEqual(ofMode({ ...stripe, ...mail }), [['failed', 'payment mode', 'Set a live key of Stripe']]);
    assert.deepEqual(ofMode({ ...stripe, ...mail, STRIPE_SECRET_KEY: 'sk_live_1' }), []);
  });
  it('a JWT_SECRET or SECRET_KEY with few different characters gets a warning', () => {
    const fix = 'Replace it with a random value, for example of: openssl rand -hex 32';
    for (const setting of ['JWT_SECRET', 'SECRET_KEY'])
      assert.deepEqual(found({ [setting]: 'abcdefg'.repeat(10) }), [['warning', `strength of ${setting}`, fix]]);
    assert.deepEqual(found({ JWT_SECRET: '0123456789abcdef0123456789abcdef' }), []);
  });

  it('a short secret of callbacks gets a warning that names its setting', () => {
    const short = 'x'.repeat(15);
    const shortIn = (env: NodeJS.ProcessEnv) =>
      configWarnings(testConfig(env))
        .filter(({ subject }) => subject.startsWith('callback secret'))
        .map(({ state, subject, text }) => [state, subject, text.split(':')[0]]);
    const cases: [env: NodeJS.ProcessEnv, setting: string, owner: string][] = [
      [stripe, 'STRIPE_WEBHOOK_SECRET', 'payments'],
      [metaEnv(nowhere), 'META_APP_SECRET', 'meta'],
      [twilioEnv(nowhere), 'TWILIO_AUTH_TOKEN', 'twilio'],
    ];
    for (const [env, setting, owner] of cases) {
      assert.deepEqual(shortIn({ ...env, [setting]: short }), [
        ['warning', `callback secret of ${owner}`, `${setting} has fewer than 16 characters`],
      ]);
      assert.deepEqual(shortIn({ ...env, [setting]: `${short}x` }), []);
    }
  });

  it('a key of payments with which nothing is sold gets no warning of its kind', () => {
    const unsold = { ...stripe, STRIPE_WEBHOOK_SECRET: undefined };
    assert.deepEqual(ofMode({ ...unsold, ...mail }), []);
    assert.deepEqual(ofMode({ ...unsold, STRIPE_SECRET_KEY: 'sk_live_1' }), []);
  });
});
