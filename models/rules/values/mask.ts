/** Masks recipients in texts of providers, before they are shown or stored. */

const phone = /(?:\+|%2B)[1-9]\d{5,14}(?!\d)/gi;
/** An address, or else a whole word without one, so that each word is tried once and not once for each of its characters. */
const emailOrWord = /([\w.%+'-]+(?:@|%40)[\w-]+(?:\.[\w-]+)+)|[\w.%+'-]+/gi;

/**
 * The text with its addresses masked: phone numbers with a plus sign, e-mail addresses, and this message's own recipient also without its
 * plus sign, as some carriers write it. Two characters stay, for recognition.
 */
export function maskAddresses(text: string, recipient: string): string {
  const digits = recipient.startsWith('+') ? recipient.slice(1) : undefined;
  const masked = text
    .replaceAll(emailOrWord, (word, address?: string) => (address === undefined ? word : maskEmail(address)))
    .replaceAll(phone, maskPhone);
  return digits === undefined ? masked : masked.replaceAll(new RegExp(`(?<!\\d)${digits}(?!\\d)`, 'g'), maskPhone(digits));
}

const maskPhone = (number: string) => `***${number.slice(-2)}`;
const maskEmail = (address: string) => `${address.slice(0, 1)}***${address.slice(address.search(/@|%40/i))}`;
