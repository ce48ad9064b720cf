/** Masks recipients in texts of providers, before they are shown or stored. */
import { isPhone } from './phone.js';

const phone = /(?:\+|%2B)[1-9]\d{5,14}(?!\d)/gi;
/** An address, or else a whole word without one, so that each word is tried once and not once for each of its characters. */
const emailOrWord = /([\w.%+'-]+(?:@|%40)[\w-]+(?:\.[\w-]+)+)|[\w.%+'-]+/gi;

/**
 * The text with its addresses masked: phone numbers with a plus sign, e-mail addresses, and this message's own recipient: a number also without
 * its plus sign, as some carriers write it, and an address with every sign that it may have. Two digits of a number stay, and one character of an
 * address, for recognition.
 */
export function maskAddresses(text: string, recipient: string): string {
  const others = (rest: string) =>
    rest
      .replaceAll(emailOrWord, (word, address?: string) => (address === undefined ? word : maskEmail(address)))
      .replaceAll(phone, maskPhone);
  if (isPhone(recipient)) return others(text).replaceAll(new RegExp(`(?<!\\d)${recipient.slice(1)}(?!\\d)`, 'g'), maskPhone);
  return others(recipient.includes('@') ? text.replaceAll(wholeAddress(recipient), maskEmail) : text);
}

/** Finds this address, also after an escaped line break, but not the end of a longer one. Its signs mean themselves. */
function wholeAddress(address: string): RegExp {
  const literal = address.replaceAll(/[^a-z0-9]/gi, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return new RegExp(String.raw`(?<=^|[^\w.%+'-]|\\[nrt])${literal}`, 'gi');
}

const maskPhone = (number: string) => `***${number.slice(-2)}`;
const maskEmail = (address: string) => `${address.slice(0, 1)}***${address.slice(address.search(/@|%40/i))}`;
