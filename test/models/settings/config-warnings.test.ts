import assert from 'node:assert/strict';
import { channels } from '../../../models/channels.js';
import { configWarnings } from '../../../models/settings/config-warnings.js';
import { stripeEnv } from '../../support/carriers/payments.js';
import { testConfig } from '../../support/config.js';

const mail = { PROVIDER_EMAIL: 'smtp', EMAIL_SMTP_URL: 'smtps://mail.example.com', EMAIL_FROM: 'news@example.com' };
const stripe = stripeEnv('http://127.0.0.1:1');

describe('configWarnings', () => {
  const found = (env: NodeJS.ProcessEnv) => configWarnings(testConfig(env)).map(({ state, subject, fix }) => [state, subject, fix]);

  it('warns of each channel that uses the sandbox beside a real carrier, and names its setting', () => {
    const fixOf = (channel: string) => `Set PROVIDER_${channel.toUpperCase()} before messages are sent on it`;
    const others = channels.filter((channel) => channel !== 'email');
    assert.deepEqual(
      found(mail),
      others.map((channel) => ['warning', `channel ${channel}`, fixOf(channel)]),
    );
  });
  it('warns of nothing with the sandbox alone, with or without test payments', () => {
    assert.deepEqual([found({}), found(stripe)], [[], []]);
  });

  for (const [missing, given] of [
    ['STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET'],
    ['STRIPE_WEBHOOK_SECRET', 'STRIPE_SECRET_KEY'],
  ] as const)
    it(`names ${missing} if only the other setting of payments is given`, () => {
      const [warning, ...others] = configWarnings(testConfig({ ...stripe, [missing]: undefined }));
      assert.deepEqual([warning?.state, warning?.subject, warning?.fix, others], ['failed', 'payments', `Set it, or remove ${given}`, []]);
      assert.match(warning?.text ?? '', new RegExp(`${missing} is missing`));
    });

  it('warns of a live key while all channels use the sandbox', () => {
    assert.deepEqual(found({ ...stripe, STRIPE_SECRET_KEY: 'sk_live_1' }), [
      ['warning', 'payment mode', 'Set a test key of Stripe, or real carriers for the channels'],
    ]);
  });
  const ofMode = (env: NodeJS.ProcessEnv) => found(env).filter(([, subject]) => subject === 'payment mode');
  it('fails a test key beside a real carrier, whose messages test cards would pay for', () => {
    assert.deepEqual(ofMode({ ...stripe, ...mail }), [['failed', 'payment mode', 'Set a live key of Stripe']]);
    assert.deepEqual(ofMode({ ...stripe, ...mail, STRIPE_SECRET_KEY: 'sk_live_1' }), []);
  });
  it('says nothing of the kind of a key with which nothing is sold', () => {
    const unsold = { ...stripe, STRIPE_WEBHOOK_SECRET: undefined };
    assert.deepEqual(ofMode({ ...unsold, ...mail }), []);
    assert.deepEqual(ofMode({ ...unsold, STRIPE_SECRET_KEY: 'sk_live_1' }), []);
  });
});
