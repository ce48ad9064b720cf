/** What the head of a callback tells before its body is read: whether it can be the provider's, and how large it may be. */
import type { IncomingHttpHeaders } from 'node:http';
import { badSignature } from '../../errors.js';
import type { ProviderAccount, ProviderKind } from '../../settings/provider-account.js';
import { headerOf } from './json-body.js';
import { isPostmark } from './postmark.js';

const kilobyte = 1024;

/** Largest bodies of the providers; Meta, Postmark and SendGrid put many events, or a whole mail, into one. */
const bytesMax: Readonly<Record<ProviderKind, number>> = {
  sandbox: 512 * kilobyte,
  twilio: 64 * kilobyte,
  meta: 1024 * kilobyte,
  smtp: 0,
  ses: 512 * kilobyte,
  postmark: 1024 * kilobyte,
  sendgrid: 1024 * kilobyte,
};

/** Header and form of signatures. That of Amazon SNS is in the body. */
const signatures: Readonly<Partial<Record<ProviderKind, readonly [header: string, form: RegExp]>>> = {
  sandbox: ['x-sandbox-signature', /^[0-9a-f]{64}$/],
  twilio: ['x-twilio-signature', /^[A-Za-z0-9+/]{27}=$/],
  meta: ['x-hub-signature-256', /^sha256=[0-9a-f]{64}$/],
  sendgrid: ['x-twilio-email-event-webhook-signature', /^[A-Za-z0-9+/]+={0,2}$/],
};

/**
 * Judges the head of a callback.
 * @returns the largest body in bytes
 * @throws AppError 403 where the signature is absent or can be none
 */
export function judgeHead(account: ProviderAccount, headers: IncomingHttpHeaders): number {
  const [header, form] = signatures[account.kind] ?? [];
  if (header !== undefined && form?.test(headerOf(headers, header)) === false) throw badSignature();
  if (account.kind === 'postmark' && !isPostmark(account, headers)) throw badSignature();
  return bytesMax[account.kind];
}
