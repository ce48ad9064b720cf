/** What is known of a callback before its body is read: whether it can be from the provider, and the maximum size of the body. */
import type { IncomingHttpHeaders } from 'node:http';
import { invalidCallbackSignature } from '../../errors.js';
import type { ProviderAccount, ProviderKind } from '../routing/provider-kinds.js';
import { headerOf } from './json-body.js';
import { isPostmark } from './postmark.js';

const kilobyte = 1024;

/**
 * The maximum body sizes. Meta, Postmark and SendGrid put many events, or a whole mail, into one body; Meta documents up to 3 MB.
 * `addressMemory` (resource-limits.ts) must hold the largest one.
 */
export const callbackBytesMax: Readonly<Record<ProviderKind, number>> = {
  sandbox: 512 * kilobyte,
  twilio: 64 * kilobyte,
  meta: 3 * 1024 * kilobyte,
  smtp: 0,
  ses: 512 * kilobyte,
  postmark: 1024 * kilobyte,
  sendgrid: 1024 * kilobyte,
};

/** The header and the form of each signature; null: it is in the body, there is none, or it is checked apart. */
const signatures: Readonly<Record<ProviderKind, readonly [header: string, form: RegExp] | null>> = {
  sandbox: ['x-sandbox-signature', /^[0-9a-f]{64}$/],
  twilio: ['x-twilio-signature', /^[A-Za-z0-9+/]{27}=$/],
  meta: ['x-hub-signature-256', /^sha256=[0-9a-f]{64}$/],
  smtp: null,
  ses: null,
  postmark: null,
  sendgrid: ['x-twilio-email-event-webhook-signature', /^[A-Za-z0-9+/]+={0,2}$/],
};

/**
 * Checks the head of a callback.
 * @throws AppError forbidden if the signature is absent or malformed
 */
export function checkHead(account: ProviderAccount, headers: IncomingHttpHeaders): void {
  const [header, form] = signatures[account.kind] ?? [];
  if (header !== undefined && form?.test(headerOf(headers, header)) === false) throw invalidCallbackSignature();
  if (account.kind === 'postmark' && !isPostmark(account, headers)) throw invalidCallbackSignature();
}
