/**
 * What a workspace may see of a carrier's report: the outcome, in the carrier's words. Everything else of it is the operator's: accounts,
 * prices, addresses of machines, and whatever a carrier adds tomorrow.
 */
import type { ProviderKind } from '../../settings/provider-account.js';

/** Paths into the report; a list stands for each of its items. */
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

/** The report as JSON with nothing but what may be seen of it; of an account of an unknown kind, and of what is no JSON, nothing. */
export function shownOfReport(kind: ProviderKind | undefined, raw: string): string {
  if (kind === undefined) return '{}';
  try {
    return JSON.stringify(picked(JSON.parse(raw), shown[kind]) ?? {});
  } catch {
    return '{}';
  }
}

/** What these paths lead to; undefined where nothing is there. */
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
