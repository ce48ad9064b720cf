/** The life of an order until its checkout session is known. Only one request at a time may call the payment provider for it. */
import { CreditOrder, type OrderRow } from '../../tables/credit-order.js';
import type { CreditPackage } from '../../tables/credit-package.js';
import { type Database, inTransaction, select } from '../../db/database.js';
import { type Origin, withoutCredential } from '../../rules/audit/origin.js';
import { toCredits } from '../../rules/billing/credits.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';

/** Longer than a call to the payment provider with its retries. A request with an older lease is dead. */
const leaseSeconds = 30;

export interface NewOrder {
  id: string;
  workspaceId: string;
  creditPackage: CreditPackage;
  idempotencyKey: string | null;
  digest: Buffer | null;
}

/** The order that the workspace created with this idempotency key. */
export const findOrder = (workspaceId: string, idempotencyKey: string): Promise<CreditOrder | null> =>
  CreditOrder.findOne({ where: { workspace_id: workspaceId, idempotency_key: idempotencyKey } });

/** Stores an order and leases it to the caller; null if its idempotency key is taken. */
export async function insertOrder(
  db: Database,
  { id, workspaceId, creditPackage, idempotencyKey, digest }: NewOrder,
): Promise<OrderRow | null> {
  const { id: packageId, name, credits, price_cents, currency } = creditPackage;
  const bind = [id, workspaceId, packageId, name, credits, price_cents, currency, idempotencyKey, digest, leaseSeconds];
  const [row] = await select<OrderRow>(db, insert, bind);
  return row ?? null;
}

const insert = `
  INSERT INTO credit_orders (id, workspace_id, package_id, package_name, credits, amount_cents, currency, idempotency_key, request_digest,
                             status, leased_until)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'opening', now() + $10 * interval '1 second')
  ON CONFLICT (workspace_id, idempotency_key) WHERE idempotency_key IS NOT NULL DO NOTHING
  RETURNING *`;

/** Takes over an order whose request died before it knew the session; false while another request has the lease. */
export async function leaseOrder(db: Database, id: string): Promise<boolean> {
  return (await select(db, lease, [id, leaseSeconds])).length > 0;
}

const lease = `
  UPDATE credit_orders SET leased_until = now() + $2 * interval '1 second'
  WHERE id = $1 AND status = 'opening' AND leased_until < now() RETURNING id`;

/** Stores the session that the payment provider opened. If the callback came first, the status that it set is kept. */
export function storeSession(db: Database, id: string, session: { id: string; url: string }, origin: Origin): Promise<OrderRow> {
  return inTransaction(db, async (transaction) => {
    const [known] = await select<OrderRow>(db, 'SELECT checkout_url FROM credit_orders WHERE id = $1 FOR UPDATE', [id], transaction);
    const [row] = await select<OrderRow>(db, store, [id, session.id, session.url], transaction);
    if (row === undefined) throw new Error(`order ${id} has another session than ${session.id}`);
    if (known?.checkout_url === null) {
      const { workspace_id: workspaceId, package_name: name, credits, amount_cents, currency } = row;
      const changes = { credits: toCredits(credits), amount_cents, currency };
      const target = { type: 'order', id, name } as const;
      const event = { workspaceId, type: 'billing.checkout_created', target, changes } as const;
      await recordAuditEvent(db, transaction, withoutCredential(origin), event);
    }
    return row;
  });
}

const store = `
  UPDATE credit_orders SET session_id = $2, checkout_url = $3, status = CASE status WHEN 'opening' THEN 'open' ELSE status END
  WHERE id = $1 AND (session_id IS NULL OR session_id = $2) RETURNING *`;

/** Deletes an order that the payment provider refused. Its idempotency key is free again. */
export async function deleteOrder(db: Database, id: string): Promise<void> {
  await select(db, `DELETE FROM credit_orders WHERE id = $1 AND status = 'opening'`, [id]);
}
