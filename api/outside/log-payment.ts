import type { Logger } from '../../models/process/logger.js';
import type { RecordedPayment } from '../../models/operations/billing/record-payment-event.js';
import type { PaymentChange, PaymentEvent } from '../../models/rules/billing/payment-event.js';

/** Logs what became of an event of the payment provider. What the operator must correct is an error (docs/runbook.md, Payments). */
export function logPayment(logger: Logger, event: PaymentEvent, { outcome, buyer }: RecordedPayment): void {
  const line = { event_id: event.id, event_type: event.type, outcome };
  const where = { workspace_id: buyer?.id, payment_id: event.change?.paymentId };
  if (outcome === 'mismatched' && event.change !== null) logger.error({ ...line, ...where }, mismatchText[event.change.kind]);
  else if (outcome === 'credited' && buyer?.isClosed === true)
    logger.error({ ...line, ...where }, 'a closed account was paid for: refund the payment');
  else logger.info(line, 'payment event');
}

const reversalText = 'a refund or dispute is in another currency than its payment: no credits were changed';

const mismatchText: Readonly<Record<PaymentChange['kind'], string>> = {
  session: 'a payment is not what was ordered: nothing was credited',
  refund: reversalText,
  failed_refund: reversalText,
  dispute: reversalText,
};
