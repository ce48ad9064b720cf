/** Our public failure codes (docs/contract/messages.md, Failure codes) and their texts. The API never shows a provider's own code. */
import { type AddressKind, type Channel, channelTraits } from '../../channels.js';
import { onProvidersList, suppressedCode, suppressedTexts } from '../contacts/suppression.js';

export interface Failure {
  code: string;
  message: string;
}

interface Meaning {
  message: string;
  /** Another text for channels that reach recipients by this kind of address. */
  messageFor?: Partial<Record<AddressKind, string>>;
  /** The text for several messages, where `message` is only about one channel or one of several reasons. */
  summary?: string;
  /** What the sender can do about it. */
  advice: string;
}

const meanings = {
  '30006': {
    message: 'Landline or unreachable carrier',
    messageFor: { email: 'Mailbox unreachable' },
    summary: 'Landline, unreachable carrier or unreachable mailbox',
    advice: 'Try later. If it fails again and again, this channel does not reach the recipient.',
  },
  '30007': { message: 'Message filtered as spam', advice: 'Reword the message; have the operator register the sender.' },
  '30008': { message: 'Unknown destination', advice: 'Correct or remove the recipient.' },
  '30034': { message: 'Exceeded max price', advice: 'Shorten the message, or have the price limit raised at the carrier.' },
  undeliverable: { message: 'The carrier could not deliver the message', advice: 'Ask the operator what the carrier reported.' },
  suppressed: {
    message: suppressedTexts.opt_out,
    summary: 'The recipient is on a suppression list',
    advice: 'Do not write to this recipient until they ask for it again. After a bounce, correct the address.',
  },
  outside_window: {
    message: 'The recipient has not written within 24 hours: only a template may be sent',
    advice: 'Send content.template, or wait until the recipient writes.',
  },
  invalid_template: {
    message: 'The template is unknown, not approved, or does not fit its variables',
    advice: 'Compare name, language and variables with the approved template.',
  },
  invalid_content: {
    message: 'The carrier rejected the content of the message',
    advice: 'Change the content: the same would be rejected again.',
  },
  region_not_permitted: {
    message: 'Messages to this region are not permitted',
    advice: 'Have the operator enable the region at the carrier.',
  },
  limit_exceeded: { message: 'A sending limit was exceeded', advice: 'Send later, or have the limit raised at the carrier.' },
  sender_refused: {
    message: 'The sender is not registered, verified or permitted',
    advice: 'Have the operator register or verify the sender at the carrier.',
  },
} as const satisfies Record<string, Meaning>;

/** The failure codes of providers. */
export type FailureCode = keyof typeof meanings;

/** The code of a message that its provider may or may not have. */
export const handoffUnknownCode = 'handoff_unknown';

/** The failure of such a message. */
export const handoffUnknown = {
  error_code: handoffUnknownCode,
  error_message: 'The carrier did not respond and cannot tell whether it accepted the message',
};

/** The codes of messages that the service itself let fail: they were not handed off, or it is unknown whether they were. */
const ownSummaries = {
  cancelled: 'Cancelled before the hand-off',
  expired: 'Expired before the hand-off',
  suspended: 'The workspace was suspended',
  unverified: 'The e-mail address of the workspace was not verified',
  provider_unavailable: 'The carrier could not be reached in time',
  [handoffUnknownCode]: handoffUnknown.error_message,
} as const;

const summaries: ReadonlyMap<string, string> = new Map([
  ...Object.entries<Meaning>(meanings).map(([code, { message, summary }]) => [code, summary ?? message] as const),
  ...Object.entries(ownSummaries),
]);

/** All failure codes. */
export const failureCodes: readonly string[] = [...summaries.keys()];

/** What a code says of several messages. The text of one message may say more. */
export const summaryOf = (code: string): string => summaries.get(code) ?? 'Unknown reason';

const isFailureCode = (code: string): code is FailureCode => Object.hasOwn(meanings, code);

/**
 * The code and text of one of our codes; `undeliverable` if a provider gave no code, or one that is not ours.
 * @param isPermanent tells the list of a mail provider, which has mostly bounces, from an opt-out, which the recipient may take back
 */
export function failureOf(channel: Channel, code: string | null, isPermanent = false): Failure {
  const known = code !== null && isFailureCode(code) ? code : 'undeliverable';
  if (known === suppressedCode && isPermanent && channelTraits[channel].suppressesBounces) return { code: known, message: onProvidersList };
  const { message, messageFor }: Meaning = meanings[known];
  return { code: known, message: messageFor?.[channelTraits[channel].address] ?? message };
}

/** What the client can do about a failure; null for a code that no provider causes. */
export const adviceOn = (code: string | null): string | null => (code !== null && isFailureCode(code) ? meanings[code].advice : null);
