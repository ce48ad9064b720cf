/** Payments that no event can credit, because their order is lost. */
import { type Database, inTransaction, select, selectOne } from '../../db/database.js';
import { systemOrigin } from '../../rules/audit/origin.js';
import { creditsText, toCredits } from '../../rules/billing/credits.js';
import { moneyText } from '../../rules/billing/currency.js';
import { makeId } from '../../rules/values/make-id.js';
import type { OrderRow } from '../../tables/credit-order.js';
import type { Workspace } from '../../tables/workspace.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { balanceAndDebt, type ChangedCredits, lockOpen } from './grant-credits.js';
import { credit } from './post-credits.js';
import { applyReversals, lockPayment } from './reverse-payment.js';

export interface ManualPayment {
  /** The id to which refunds and disputes refer. */
  paymentId: string;
  /** What was paid, in the smallest unit of the currency. */
  paid: { amount: number; currency: string };
  /** Thousandths of a credit. */
  credits: number;
  reason: string;
}

const provider = 'stripe';

/**
 * Stores a payment as a paid order, so that its refunds and disputes take the credits back, also those that came before. A payment is
 * credited once, by an event or here.
 * @throws Error if it was credited with other credits or elsewhere, or the workspace is closed
 */
export function creditPayment(db: Database, { id, name }: Pick<Workspace, 'id' | 'name'>, payment: ManualPayment): Promise<ChangedCredits> {
  const { paymentId, paid, credits, reason } = payment;
  return inTransaction(db, async (transaction) => {
    await lockPayment(db, transaction, provider, paymentId);
    await lockOpen(db, transaction, id);
    const [earlier] = await select<OrderRow>(db, paidOrder, [paymentId], transaction);
    if (earlier !== undefined && !isSame(earlier, id, payment)) throw new Error(takenText(earlier));
    if (earlier === undefined) {
      const bind = [makeId(), id, `for payment ${paymentId}`, credits, paid.amount, paid.currency, `operator:${paymentId}`, paymentId];
      const order = await selectOne<OrderRow>(db, insert, bind, transaction);
      await credit(db, transaction, id, { kind: 'purchase', reference: order.id, amount: credits, description: reason });
      const changes = { credits: toCredits(credits), amount_cents: paid.amount, currency: paid.currency, reason };
      const event = { workspaceId: id, type: 'billing.credits_granted', target: { type: 'workspace', id, name } } as const;
      await recordAuditEvent(db, transaction, systemOrigin('operator'), { ...event, changes });
      await applyReversals(db, transaction, order, `operator:${paymentId}`);
    }
    return { ...(await balanceAndDebt(db, transaction, id)), isNew: earlier === undefined };
  });
}

const isSame = (order: OrderRow, workspaceId: string, { paid, credits }: ManualPayment): boolean =>
  order.workspace_id === workspaceId && order.credits === credits && order.amount_cents === paid.amount && order.currency === paid.currency;

const takenText = ({ payment_id, credits, workspace_id, amount_cents, currency }: OrderRow): string =>
  `the payment ${payment_id} was credited with ${creditsText(credits)} to the workspace ${workspace_id}, for ${moneyText(amount_cents, currency)}`;

const paidOrder = 'SELECT * FROM credit_orders WHERE payment_id = $1 LIMIT 1';

// Without a package. The id of the session, which every order but a new one has, is not one of the payment provider.
const insert = `
  INSERT INTO credit_orders (id, workspace_id, package_name, credits, amount_cents, currency, status, leased_until, session_id, payment_id, paid_at)
  VALUES ($1, $2, $3, $4, $5, $6, 'paid', now(), $7, $8, now()) RETURNING *`;
