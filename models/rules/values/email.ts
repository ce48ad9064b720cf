/** The form of an e-mail address: the ASCII subset of RFC 5321 that mail servers deliver, with a dotted domain. */

const localPart = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;
const label = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

/** Whether an address can receive mail. International domains must be in punycode. */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  if (at < 1 || at > 64 || text.length > 254) return false;
  const labels = text.slice(at + 1).split('.');
  const top = labels.at(-1) ?? '';
  return localPart.test(text.slice(0, at)) && labels.length > 1 && labels.every((part) => label.test(part)) && /[A-Za-z]/.test(top);
}

/** The address in `Ada <ada@example.com>` or in `ada@example.com`. */
export const addressOf = (from: string): string => /<([^<>]+)>$/.exec(from)?.[1] ?? from;

/** The domain of the same. */
export const domainOf = (from: string): string => addressOf(from).split('@')[1] ?? '';
