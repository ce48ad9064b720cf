import assert from 'node:assert/strict';
import { pino } from 'pino';
import { createPayments } from '../../../api/outside/payments.js';
import { warnOfSandbox } from '../../../api/outside/warn-of-sandbox.js';
import { eventText, type FakeProvider, signature, startFakeProvider, stripeEnv } from '../../support/carriers/payments.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { useApi } from '../use-api.js';
import { eventsPath } from './shop.js';

describe('billing with a wrong configuration', () => {
  let provider: FakeProvider;
  before(async () => {
    provider = await startFakeProvider();
  });
  after(() => provider.close());

  for (const [missing, callback] of [
    ['STRIPE_WEBHOOK_SECRET', 503],
    ['STRIPE_SECRET_KEY', 200],
  ] as const) {
    describe(`without ${missing}`, () => {
      const app = useApi({ env: () => ({ ...stripeEnv(provider.url), [missing]: undefined }) });

      it('503 for a checkout, and the payment provider creates no session', async () => {
        const { jwt } = await app.account();
        const { id } = (await app.call('GET', '/api/v1/billing/packages')).body.data.packages[0];
        const { status, body } = await app.call('POST', '/api/v1/billing/checkout', { jwt, body: { package_id: id } });
        assert.deepEqual([status, body.error, body.code], [503, 'Billing is not configured', 'unavailable']);
        assert.deepEqual([provider.asked, await rows(app.deps.db, 'SELECT id FROM credit_orders')], [[], []]);
      });
      it(`${callback} for an event of the payment provider`, async () => {
        const text = eventText({ type: 'ping', object: {} });
        const { status } = await app.call('POST', eventsPath, { body: text, headers: { 'Stripe-Signature': signature(text) } });
        assert.equal(status, callback);
      });
    });
  }

  it('each channel that uses the sandbox beside a real carrier is logged as a warning at the start', () => {
    const real = { PROVIDER_EMAIL: 'smtp', EMAIL_SMTP_URL: 'smtps://mail.example.com', EMAIL_FROM: 'news@example.com' };
    const warnedOf = (env: NodeJS.ProcessEnv) => {
      const lines: string[] = [];
      warnOfSandbox(testConfig(env), pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line).channel) }));
      return lines;
    };
    assert.deepEqual([warnedOf(real), warnedOf({})], [['sms', 'whatsapp'], []]);
  });

  it('a test key beside a real carrier is logged as a warning at the start', () => {
    const real = { PROVIDER_EMAIL: 'smtp', EMAIL_SMTP_URL: 'smtps://mail.example.com', EMAIL_FROM: 'news@example.com' };
    const warningsFor = (env: NodeJS.ProcessEnv) => {
      const lines: string[] = [];
      const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(JSON.parse(line).msg) });
      createPayments(testConfig({ ...stripeEnv('http://127.0.0.1:1'), ...env }), logger);
      return lines;
    };
    assert.match(warningsFor(real).join(), /^STRIPE_SECRET_KEY is a test key/);
    assert.deepEqual([warningsFor({}), warningsFor({ ...real, STRIPE_SECRET_KEY: 'sk_live_1' })], [[], []]);
  });
});
