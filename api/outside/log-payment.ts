import type { Database } from '../../models/db/database.js';
import type { Logger } from '../../models/process/logger.js';
import { buyerOfPayment } from '../../models/operations/billing/buyer-of-payment.js';
import type { RecordedPayment } from '../../models/operations/billing/record-payment-event.js';
import type { PaymentChange, PaymentEvent } from '../../models/rules/billing/payment-event.js';

/** Logs what became of an event of the payment provider. What the operator must correct is an error (docs/runbook.md, Payments). */
export async function logPayment(
  { db, logger }: { db: Database; logger: Logger },
  event: PaymentEvent,
  { outcome, closedWorkspaceId }: RecordedPayment,
): Promise<void> {
  const line = { event_id: event.id, event_type: event.type, outcome };
  const payment_id = event.change?.paymentId;
  if (outcome === 'mismatched' && event.change !== null)
    logger.error({ ...line, workspace_id: await buyerOfPayment(db, event.change), payment_id }, mismatchText[event.change.kind]);
  else if (outcome === 'credited' && closedWorkspaceId !== null)
    logger.error({ ...line, workspace_id: closedWorkspaceId, payment_id }, 'a closed account was paid for: refund the payment');
  else logger.info(line, 'payment event');
}

const reversalText = 'a refund or dispute is in another currency than its payment: no credits were changed';

const mismatchText: Readonly<Record<PaymentChange['kind'], string>> = {
  session: 'a payment is not what was ordered: nothing was credited',
  refund: reversalText,
  failed_refund: reversalText,
  dispute: reversalText,
};
