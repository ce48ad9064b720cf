import { type Database, select } from '../../db/database.js';
import type { PaymentChange } from '../../rules/billing/payment-event.js';

/** The workspace whose order an event names; undefined while the session of the order is not stored. */
export async function buyerOfPayment(db: Database, change: PaymentChange): Promise<string | undefined> {
  const [order] = await select<{ workspace_id: string }>(db, ordered, [
    change.kind === 'session' ? change.sessionId : null,
    change.kind === 'session' ? null : change.paymentId,
  ]);
  return order?.workspace_id;
}

const ordered = 'SELECT workspace_id FROM credit_orders WHERE session_id = $1 OR payment_id = $2 LIMIT 1';
