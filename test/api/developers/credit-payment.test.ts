/** A payment that no event could credit is credited by hand. Its refunds and disputes find it. */
import assert from 'node:assert/strict';
import { rows } from '../../support/database.js';
import { runAdmin } from '../../support/run-admin.js';
import { shopForEach } from '../billing/shop.js';

describe('the command credit with a payment', () => {
  const shop = shopForEach();
  const admin = (...args: string[]) => runAdmin(shop.app.deps, 'workspace', 'credit', '--json', '--reason', 'lost order', ...args);
  const credit = (payment = 'pi_1', credits = '100', paid = '5.00 USD') =>
    admin(shop.buyer.workspaceId, credits, '--payment', payment, '--paid', paid);

  it('workspace credit credits a payment once, and a refund takes the credits back', async () => {
    const { refund } = await shop.buy();
    const ended = await Promise.all([credit(), credit(), credit()]);
    assert.deepEqual(
      ended.map(({ code }) => code),
      [0, 0, 0],
    );
    assert.equal(ended.filter(({ out }) => JSON.parse(out).changed).length, 1);
    await shop.send(refund(200));
    assert.deepEqual(await shop.ledger(), ['purchase 100000', 'adjustment -40000']);
    const { body } = await shop.app.call('GET', '/api/v1/audit-events', { jwt: shop.buyer.jwt });
    assert.deepEqual(
      body.data.audit_events
        .filter(({ type }: { type: string }) => type === 'billing.credits_granted')
        .map(({ changes }: { changes: object }) => changes),
      [{ credits: 100, amount_cents: 500, currency: 'usd', reason: 'lost order' }],
    );
  });

  it('a refund that came before workspace credit takes its part at once', async () => {
    const { refund } = await shop.buy();
    await shop.send(refund(500));
    const { out } = await credit();
    assert.equal(JSON.parse(out).balance, 0);
    assert.deepEqual(await shop.ledger(), ['purchase 100000', 'adjustment -100000']);
  });

  it('a late event about a payment that workspace credit has credited adds nothing', async () => {
    const { session } = await shop.buy();
    assert.equal((await credit()).code, 0);
    await shop.send(session());
    assert.deepEqual([await shop.outcomes(), await shop.ledger()], [['repeated'], ['purchase 100000']]);
  });

  it('workspace credit exits with 1 for a payment that an event has credited with other credits', async () => {
    const { session } = await shop.buy();
    await shop.send(session());
    const { code, out } = await credit('pi_1', '50');
    const text = `Failed: the payment pi_1 was credited with 100 credits to the workspace ${shop.buyer.workspaceId}, for 5.00 USD`;
    assert.deepEqual([code, JSON.parse(out)], [1, { error: text }]);
    assert.equal(JSON.parse((await credit()).out).changed, false);
    assert.deepEqual(await shop.ledger(), ['purchase 100000']);
  });

  const wrong: [args: string[], why: RegExp][] = [
    [['--payment', 'pi_1'], /--payment and --paid belong together/],
    [['--paid', '5 USD'], /--payment and --paid belong together/],
    [['--payment', 'ch_1', '--paid', '5 USD'], /--payment must be/],
    [['--payment', 'pi_1', '--paid', '5'], /--paid must be/],
    [['--payment', 'pi_1', '--paid', '5.001 USD'], /--paid must be/],
    [['--payment', 'pi_1', '--paid', '0 USD'], /--paid must be/],
    [['--payment', 'pi_1', '--paid', '5 USD', '--reference', 'x'], /--reference/],
  ];
  for (const [args, why] of wrong)
    it(`workspace credit exits with 2 for ${args.join(' ')}`, async () => {
      const { code, out } = await admin(shop.buyer.workspaceId, '100', ...args);
      assert.equal(code, 2);
      assert.match(JSON.parse(out).error, why);
      assert.deepEqual(await rows(shop.app.deps.db, 'SELECT id FROM credit_orders'), []);
    });
});
