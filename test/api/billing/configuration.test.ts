import assert from 'node:assert/strict';
import { eventText, signature, startStripe, type StripeCounterpart, stripeEnv } from '../../support/carriers/payments.js';
import { rows } from '../../support/database.js';
import { useApi } from '../use-api.js';
import { eventsPath } from './shop.js';

describe('billing with a wrong configuration', () => {
  let provider: StripeCounterpart;
  before(async () => {
    provider = await startStripe();
  });
  after(() => provider.close());

  for (const [missing, callback] of [
    ['STRIPE_WEBHOOK_SECRET', 503],
    ['STRIPE_SECRET_KEY', 200],
  ] as const) {
    describe(`without ${missing}`, () => {
      const app = useApi({ env: () => ({ ...stripeEnv(provider.url), [missing]: undefined }) });

      it(`503 for a checkout without ${missing}, and the payment provider creates no session`, async () => {
        const { jwt } = await app.account();
        const { id } = (await app.call('GET', '/api/v1/billing/packages')).body.data.packages[0];
        const { status, body } = await app.call('POST', '/api/v1/billing/checkout', { jwt, body: { package_id: id } });
        assert.deepEqual([status, body.error, body.code], [503, 'Billing is not configured', 'unavailable']);
        assert.deepEqual([provider.asked, await rows(app.deps.db, 'SELECT id FROM credit_orders')], [[], []]);
      });
      it(`${callback} for a payment event without ${missing}`, async () => {
        const text = eventText({ type: 'ping', object: {} });
        const { status } = await app.call('POST', eventsPath, { body: text, headers: { 'Stripe-Signature': signature(text) } });
        assert.equal(status, callback);
      });
    });
  }
});
