/** SMTP: enhanced status codes (RFC 3463), and basic reply codes (RFC 5321 §4.2.3) for servers without enhanced ones. */
import { type FailureTable, hard, lookUp, ofRecipient, type ProviderFailure, soft } from './provider-failure.js';

const enhancedCodes: FailureTable = {
  '5.1.0': soft('undeliverable'), // an address, but whose? See `recipientWord`
  '5.1.1': hard('30008'), // no such mailbox
  '5.1.2': hard('30008'), // no such system
  '5.1.3': hard('30008'), // malformed address
  '5.1.6': hard('30008'), // moved
  '5.1.7': soft('sender_refused'),
  '5.1.8': soft('sender_refused'),
  '5.1.10': hard('30008'), // the domain accepts no mail (RFC 7505)
  '5.1.90': soft('limit_exceeded'), // Exchange Online: the sender's limit of the day
  '5.2.1': hard('30006'), // mailbox disabled, but see `tooMany`
  '5.2.2': soft('30006'), // mailbox full
  '5.2.3': hard('invalid_content'), // longer than this mailbox accepts
  '5.2.121': ofRecipient(soft('limit_exceeded')), // Exchange Online: the mailbox gets too many mails from this sender
  '5.2.122': ofRecipient(soft('limit_exceeded')), // Exchange Online: the mailbox gets too many mails
  '5.3.4': hard('invalid_content'), // too large
  '5.4.1': soft('undeliverable'), // no answer from the host, but see `noMailbox`
  '5.4.4': hard('30008'),
  '5.4.5': soft('limit_exceeded'), // Gmail: the sender's limit of the day
  '5.6.0': hard('invalid_content'),
  '5.7.1': soft('30007'),
  '5.7.26': soft('sender_refused'), // neither SPF nor DKIM (RFC 7372)
};

/** Basic codes that mean the same after every command. */
const basicCodes: FailureTable = {
  '552': soft('30006'),
  '554': soft('30007'),
};

/** Basic codes that name a missing mailbox if they answer the recipient. They also refuse by policy (RFC 5321 §4.2.3). */
const mailboxCodes: readonly string[] = ['550', '551', '553'];

/**
 * The server does not accept this sender. Many servers say so only after RCPT TO (Postfix: smtpd_delay_reject) or after the content (Exchange
 * Online, SES, SendGrid). The text decides, because servers use any code for it.
 */
const senderRefused =
  /\b(?:sender|from) address (?:(?:is |was )?rejected|(?:is )?not (?:allowed|permitted|verified|owned))|\bnot owned by (?:auth )?user\b|SendAsDenied(?!\S{0,64}@)|\b(?:permissions?|allowed|permitted|authorized) to send (?:e-?mails? |messages? )?(?:as|from|on behalf of)\b|\be-?mail address (?:is )?not verified\b|\bverified sender identity\b|\bsender signature\b/i;
/** Postfix about a recipient. The text of another server, which can name a sender, may follow. */
const recipientRejected = /recipient address rejected/i;
/** The server does not pass mails on for this account: its log-in or its address is missing there. */
const relayDenied =
  /rcpthosts|\b(?:un(?:able|authorized) to|do(?:es)? not|don't|cannot|not (?:allowed|permitted|authorized) to) relay\b|\brelay(?:ing)?\s[^;]{0,100}?\b(?:denied|prohibited|not (?:permitted|allowed|supported))/i;
/** Codes of replies in which `relayDenied` counts. Others are about the mailbox, or exact already. */
const relayCodes: readonly string[] = ['550', '551', '553', '554', '5.4.1', '5.7.1', '5.7.54'];
/** A plain reply about sender or content. */
const filtered = /\b(?:spam|junk ?mail|block(?:ed|list\w*)|black ?list\w*|[rd]nsbl|rbl|spf|dkim|dmarc|sender|policy|reputation)\b/i;
/** Exchange Online uses 5.4.1 also for addresses that its directory does not have. */
const noMailbox = /recipient address rejected: access denied/i;
/** 5.1.0 is about a recipient only if the text says so. */
const recipientWord = /\brecipient\b/i;
/** Gmail uses 5.2.1 also for a mailbox that works, and gets too many mails. */
const tooMany = /\bat a rate\b|\btoo (?:quickly|many)\b/i;

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
  command === 'RCPT TO' && temporaryForRecipient.test(reply) && !refusesSender(reply);

const refusesSender = (reply: string) => senderRefused.test(reply) && !recipientRejected.test(reply);

/** Whether an enhanced code says more than the basic code beside it. */
export const isSpecificCode = (enhanced: string): boolean => Object.hasOwn(enhancedCodes, enhanced) || isPolicy(enhanced);

/** An enhanced code that says nothing more than that the reply is a refusal. */
const undefinedCode = '5.0.0';

/** The code of a reply such as `550 5.1.1 no such user`: the enhanced one, or the basic one if there is none. */
export function smtpCodeOf(reply: string): string {
  const [, plain = '', enhanced = ''] = /^(\d{3})[ -](?:([245]\.\d{1,3}\.\d{1,3})\b)?/.exec(reply) ?? [];
  return enhanced === '' || enhanced === undefinedCode ? plain : enhanced;
}

/** Our failure for an enhanced code, with the text beside it. */
export function enhancedFailureOf(code: string, text: string): ProviderFailure {
  if (refusesSender(text)) return soft('sender_refused');
  if (code === '5.1.0' && recipientWord.test(text)) return hard('30008');
  if (code === '5.2.1' && tooMany.test(text)) return ofRecipient(soft('limit_exceeded'));
  if (code === '5.4.1' && noMailbox.test(text)) return hard('30008');
  return lookUp(enhancedCodes, isPolicy(code) && !Object.hasOwn(enhancedCodes, code) ? '5.7.1' : code);
}

/** Our failure for a reply that refuses a mail for good. @param command the command that it answers; a content is answered as `DATA` */
export function smtpFailureOf(command: string | undefined, reply: string): ProviderFailure & { providerCode: string } {
  const providerCode = smtpCodeOf(reply);
  const failure = failureIn(command, reply, providerCode);
  const isOfSender = command === 'MAIL FROM' && failure.code !== 'invalid_content' && failure.code !== 'limit_exceeded';
  return { ...(isOfSender ? soft('sender_refused') : failure), providerCode };
}

function failureIn(command: string | undefined, reply: string, code: string): ProviderFailure {
  if (refusesSender(reply) || (relayCodes.includes(code) && relayDenied.test(reply))) return soft('sender_refused');
  if (isSpecificCode(code)) return enhancedFailureOf(code, reply);
  // An enhanced code that is not known does not name the mailbox, whatever the basic code beside it.
  if (!mailboxCodes.includes(code)) return lookUp(basicCodes, reply.slice(0, 3));
  if (filtered.test(reply)) return soft('30007');
  return command === 'RCPT TO' ? hard('30008') : soft('undeliverable');
}
