/** The body of error responses, with hints: how to correct a fault whose text is fixed by the contract and cannot say it itself. */
import { type AppError, type ErrorCode, type Fault, faultTexts, scopeText } from '../../../models/errors.js';
import { emptiedFault } from '../../../models/rules/messages/content-limits.js';
import { emailText, phoneText } from '../../../models/rules/messages/recipient.js';
import { httpsText, privateText } from '../../../models/rules/webhooks/webhook-url.js';

const ownMachine = 'For a receiver on your own machine see docs/webhooks.md, "On your own machine"';
const time = 'ISO 8601 with a time zone, for example 2026-11-21T10:00:00Z';

/** By the text of a fault. */
const hints: ReadonlyMap<string, string> = new Map([
  [phoneText, 'A plus sign, the country code and the number without spaces, for example +15551234567'],
  [emailText, 'An e-mail address, for example ada@example.com'],
  ['to must be a string', 'One recipient, for example "+15551234567". For several recipients use POST /api/v1/messages/bulk'],
  ['content must be an object', 'For example {"text": "Hello"}'],
  [emptiedFault.message, 'The text belongs in content, for example {"content": {"text": "Hello"}}'],
  [faultTexts.date, time],
  ...['scheduled_at', 'expires_at'].map((field) => [`${field} must be a string`, time] as const),
  [faultTexts.cursor, 'Use next_cursor of the previous response, with the same path and filters'],
  [faultTexts.mailToken, 'Use the whole token of the newest e-mail'],
  [httpsText, ownMachine],
  [privateText, `The operator allows private networks with the setting WEBHOOK_ALLOWED_NETWORKS. ${ownMachine}`],
]);

/** By the code of an error without details. */
const hintsOfCodes: Readonly<Partial<Record<ErrorCode, string>>> = {
  insufficient_credits: 'Buy credits with POST /api/v1/billing/checkout. POST /api/v1/messages/preview shows a price without sending',
  spend_limit: 'The day ends at 00:00 UTC. PUT /api/v1/workspace changes spend_limit_day',
  idempotency_mismatch: 'Repeat the first request unchanged, or use a new Idempotency-Key for another request',
  payload_too_large: 'At most 100 kB; 4 MB for /api/v1/messages/bulk and its preview. Divide long lists into several requests',
};

/** A bulk send always has a text. A recipient has this fault if its text is empty after its values were filled in. */
const hintOf = ({ field, message, hint }: Fault): string | undefined =>
  hint ?? (message === emptiedFault.message && field !== emptiedFault.field ? emptiedFault.hint : hints.get(message));

/** The body of every error response. */
export const errorBody = ({ code, message, details }: AppError, requestId: string) => ({
  success: false,
  error: message,
  code,
  message,
  request_id: requestId,
  ...shownFaults({ code, message, details }),
});

/**
 * The part of an error body that names faults. `details` are exactly field and message (docs/contract/errors.md). `hints` are there if a fault or the
 * error has one: each text once, in the order of the faults.
 */
function shownFaults({ code, message, details }: Pick<AppError, 'code' | 'message' | 'details'>): {
  details?: Omit<Fault, 'hint'>[];
  hints?: string[];
} {
  const ofError = hintsOfCodes[code] ?? (message.startsWith(scopeText) ? scopeHint : undefined);
  if (details === undefined) return ofError === undefined ? {} : { hints: [ofError] };
  const given = new Set(details.flatMap((fault) => hintOf(fault) ?? []));
  return {
    details: details.map(({ field, message: text }) => ({ field, message: text })),
    ...(given.size === 0 ? {} : { hints: [...given] }),
  };
}

const scopeHint = 'Create another key with this scope: POST /api/v1/api-keys';
