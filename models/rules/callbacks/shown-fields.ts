/**
 * What a workspace may see of a provider's report: the outcome, in the provider's words. The rest is for the operator only: accounts,
 * prices, addresses of machines, and fields that a provider adds later.
 */
import type { ProviderKind } from '../routing/provider-kinds.js';

/** Paths into the report. A list in the path means each of its items. */
const shown: Readonly<Record<ProviderKind, readonly string[]>> = {
  sandbox: ['id', 'reference', 'status', 'error_code', 'occurred_at'],
  twilio: ['MessageSid', 'MessageStatus', 'SmsStatus', 'To', 'ErrorCode', 'ErrorMessage', 'RawDlrDoneDate'],
  meta: [
    'id',
    'status',
    'timestamp',
    'recipient_id',
    'biz_opaque_callback_data',
    'errors.code',
    'errors.title',
    'errors.message',
    'errors.error_data.details',
  ],
  smtp: [],
  ses: [
    'eventType',
    'notificationType',
    'mail.messageId',
    'mail.timestamp',
    'mail.destination',
    'delivery.timestamp',
    'delivery.recipients',
    'delivery.processingTimeMillis',
    'delivery.smtpResponse',
    'bounce.bounceType',
    'bounce.bounceSubType',
    'bounce.timestamp',
    'bounce.bouncedRecipients.emailAddress',
    'bounce.bouncedRecipients.action',
    'bounce.bouncedRecipients.status',
    'bounce.bouncedRecipients.diagnosticCode',
    'complaint.complaintSubType',
    'complaint.timestamp',
    'reject.reason',
    'failure.errorMessage',
  ],
  postmark: [
    'RecordType',
    'MessageID',
    'Type',
    'TypeCode',
    'Name',
    'Description',
    'Details',
    'Email',
    'Recipient',
    'DeliveredAt',
    'BouncedAt',
  ],
  sendgrid: ['event', 'timestamp', 'sg_message_id', 'email', 'status', 'reason', 'response', 'type', 'bounce_classification', 'attempt'],
};

/** The report as JSON, with the permitted fields only; empty for an unknown kind of account, and for a text that is not JSON. */
export function shownOfReport(kind: ProviderKind | undefined, raw: string): string {
  if (kind === undefined) return '{}';
  try {
    return JSON.stringify(picked(JSON.parse(raw), shown[kind]) ?? {});
  } catch {
    return '{}';
  }
}

/** The values at these paths; undefined if there are none. */
function picked(value: unknown, paths: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => picked(item, paths)).filter((item) => item !== undefined);
  if (paths.includes('')) return typeof value === 'object' ? undefined : value;
  if (typeof value !== 'object' || value === null) return undefined;
  const fields = new Map(Object.entries(value));
  const entries = [...new Set(paths.map((path) => path.split('.')[0] ?? ''))].flatMap((name) => {
    const below = paths.filter((path) => path === name || path.startsWith(`${name}.`)).map((path) => path.slice(name.length + 1));
    const inner = fields.has(name) ? picked(fields.get(name), below) : undefined;
    return inner === undefined ? [] : [[name, inner] as const];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
