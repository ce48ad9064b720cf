/** Our public failure codes (interface.md, Events; decisions §4) and their texts. A provider's own code is never shown. */
import type { Channel } from '../config.js';

export interface Failure {
  code: string;
  message: string;
}

const texts: Readonly<Record<string, { sms: string; email: string }>> = {
  '30006': { sms: 'Landline or unreachable carrier', email: 'Mailbox unreachable' },
  '30007': { sms: 'Message filtered as spam', email: 'Message filtered as spam' },
  '30008': { sms: 'Unknown destination', email: 'Unknown destination' },
  '30034': { sms: 'Exceeded max price', email: 'Exceeded max price' },
};

const undeliverable: Failure = { code: 'undeliverable', message: 'The provider could not deliver the message' };

/** Code and text for one of our codes; `undeliverable` where a provider gave no code or one that is not in our vocabulary. */
export function failureOf(channel: Channel, code: string | null): Failure {
  const text = code !== null && Object.hasOwn(texts, code) ? texts[code] : undefined;
  if (code === null || text === undefined) return undeliverable;
  return { code, message: channel === 'email' ? text.email : text.sms };
}
