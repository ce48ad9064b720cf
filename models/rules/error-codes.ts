/** Our public failure codes (interface.md, Events; decisions §4) and their texts. A provider's own code is never shown. */
import type { Channel } from '../config.js';
import { suppressedTexts } from './suppression.js';

export interface Failure {
  code: string;
  message: string;
}

interface Meaning {
  message: string;
  /** Where e-mail says it in other words. */
  email?: string;
}

const meanings = {
  '30006': { message: 'Landline or unreachable carrier', email: 'Mailbox unreachable' },
  '30007': { message: 'Message filtered as spam' },
  '30008': { message: 'Unknown destination' },
  '30034': { message: 'Exceeded max price' },
  undeliverable: { message: 'The provider could not deliver the message' },
  suppressed: { message: suppressedTexts.opt_out },
  invalid_content: { message: 'The provider refused the content of the message' },
  region_not_permitted: { message: 'Messages to this region are not permitted' },
  limit_exceeded: { message: 'A sending limit was exceeded' },
  sender_refused: { message: 'The sender is not registered, verified or permitted' },
} as const satisfies Record<string, Meaning>;

/** Codes of what a provider may say of a message. */
export type FailureCode = keyof typeof meanings;

const isFailureCode = (code: string): code is FailureCode => Object.hasOwn(meanings, code);

/** Code and text for one of our codes; `undeliverable` where a provider gave no code or one that is not in our vocabulary. */
export function failureOf(channel: Channel, code: string | null): Failure {
  const known = code !== null && isFailureCode(code) ? code : 'undeliverable';
  const { message, email = message }: Meaning = meanings[known];
  return { code: known, message: channel === 'email' ? email : message };
}
