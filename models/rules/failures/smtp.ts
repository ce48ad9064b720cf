/** SMTP: enhanced status codes (RFC 3463), and basic reply codes (RFC 5321 §4.2.3) for servers without enhanced ones. */
import { type FailureTable, hard, lookUp, type ProviderFailure, soft } from './provider-failure.js';

const smtpFailures: FailureTable = {
  '5.1.0': hard('30008'),
  '5.1.1': hard('30008'), // no such mailbox
  '5.1.2': hard('30008'), // no such system
  '5.1.3': hard('30008'), // malformed address
  '5.1.6': hard('30008'), // moved
  '5.1.7': soft('sender_refused'),
  '5.1.8': soft('sender_refused'),
  '5.1.10': hard('30008'), // the domain accepts no mail (RFC 7505)
  '5.2.1': hard('30006'), // mailbox disabled
  '5.2.2': soft('30006'), // mailbox full
  '5.2.3': hard('invalid_content'), // longer than this mailbox accepts
  '5.3.4': hard('invalid_content'), // too large
  '5.4.1': hard('30008'),
  '5.4.4': hard('30008'),
  '5.6.0': hard('invalid_content'),
  '5.7.1': soft('30007'),
  '5.7.26': soft('sender_refused'), // neither SPF nor DKIM (RFC 7372)
  '550': hard('30008'),
  '551': hard('30008'),
  '552': soft('30006'),
  '553': hard('30008'),
  '554': soft('30007'),
};

/** A refusal by policy, such as a blocked sending server (`550 5.7.606`). It says nothing about the mailbox. */
const isPolicy = (code: string) => code.startsWith('5.7.');

/** Replies to a command without a valid log-in (RFC 4954 §6). A server may give them at any step. */
const loginReplies: readonly number[] = [530, 534, 535, 538];

/** Whether the reply code refuses this mail for good. A missing log-in is a fault of our settings, not of the mail. */
export const isPermanentReply = (code: number): boolean => code >= 500 && !loginReplies.includes(code);

/**
 * The recipient or the mailbox (RFC 3463 §3.2, §3.3), without the codes for the sender, 4.1.7 and 4.1.8. A reply without an enhanced code: the
 * mailbox is not available (RFC 5321 §4.2.3).
 */
const temporaryForRecipient = /^45\d[ -]4\.(?:1\.(?![78]\b)|2\.)|^450[ -](?!4\.)/;

/** Whether a temporary reply is about the recipient alone, such as `450 4.2.1 mailbox busy`: the server takes mails to others. */
export const isAboutRecipient = (command: string | undefined, reply: string): boolean =>
  command === 'RCPT TO' && temporaryForRecipient.test(reply);

/** Whether an enhanced code says more than the basic code beside it. */
export const isTelling = (enhanced: string): boolean => Object.hasOwn(smtpFailures, enhanced) || isPolicy(enhanced);

/** The code of a reply such as `550 5.1.1 no such user`: the enhanced one if it is telling, otherwise the basic one. */
export function smtpCodeOf(reply: string): string {
  const [, plain = '', enhanced = ''] = /^(\d{3})[ -](?:([245]\.\d{1,3}\.\d{1,3})\b)?/.exec(reply) ?? [];
  return isTelling(enhanced) ? enhanced : plain;
}

/** Our failure for a code. */
export const smtpFailureOf = (code: string): ProviderFailure =>
  lookUp(smtpFailures, isPolicy(code) && !Object.hasOwn(smtpFailures, code) ? '5.7.1' : code);
