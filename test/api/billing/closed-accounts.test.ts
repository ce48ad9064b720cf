/** The payment page of the provider outlives the account, so a checkout may be paid after its end. */
import assert from 'node:assert/strict';
import { closeWorkspace } from '../../../models/operations/accounts/close-workspace.js';
import { systemOrigin } from '../../../models/rules/audit/origin.js';
import { eventText } from '../../support/carriers/payments.js';
import { rows } from '../../support/database.js';
import { shopForEach } from './shop.js';

describe('a payment for a closed account', () => {
  const shop = shopForEach();
  const errors: unknown[][] = [];
  before(() => {
    shop.app.deps.logger.error = ((...line: unknown[]) => void errors.push(line)) as typeof shop.app.deps.logger.error;
  });
  beforeEach(() => errors.splice(0));

  it('a checkout paid after the end of its account is logged as an error once, and its refund takes the credits back', async () => {
    const { session, refund } = await shop.buy();
    const { workspaceId } = shop.buyer;
    await closeWorkspace(shop.app.deps.db, workspaceId, systemOrigin('operator'));
    const paid = { id: 'evt_paid', ...session() };
    for (const event of [paid, paid, session('async_payment_succeeded')]) await shop.send(event);
    const line = { event_id: 'evt_paid', event_type: paid.type, outcome: 'credited', workspace_id: workspaceId, payment_id: 'pi_1' };
    assert.deepEqual(errors, [[line, 'a closed account was paid for: refund the payment']]);
    const kept = await rows(shop.app.deps.db, `SELECT event_id FROM payment_events WHERE raw <> ''`);
    assert.deepEqual(kept, [], 'the text of an event names the payer');
    await shop.send(refund(500));
    assert.deepEqual([await shop.ledger(), errors.length], [['purchase 100000', 'adjustment -100000'], 1]);
  });

  it('a payment before the end of its account is no error', async () => {
    const { session, refund } = await shop.buy();
    await shop.send(session());
    await closeWorkspace(shop.app.deps.db, shop.buyer.workspaceId, systemOrigin('operator'));
    await shop.send(refund(100));
    assert.equal((await shop.post(eventText(session('expired')))).status, 200);
    assert.deepEqual(errors, []);
  });
});
