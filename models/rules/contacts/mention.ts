/** Finds a recipient in what others wrote: JSON and forms of carriers, keys that clients chose. */

/** No phone number is as short, but E.164 allows it. Such digits are part of dates and codes everywhere. */
const shortDigits = 7;

/** Escapes of forms and JSON end with letters or digits that are not part of what follows. */
const escaped = String.raw`%[0-9a-f]{2}|\\u[0-9a-f]{4}`;

/**
 * A regular expression, for PostgreSQL and JavaScript, that finds a recipient in a text in lower case. It finds the whole number or address
 * only: neither a part of a longer number, nor the end of a longer address.
 * @param recipient as `recipientKey` returns it
 */
export const mentionOf = (recipient: string): string => (recipient.includes('@') ? addressIn(recipient) : numberIn(recipient));

/**
 * The same in a key that a client chose, such as `news-ada@example.com-7`: there, a word beside an address is more likely than a longer address. So a
 * key with `mary.ada@example.com` counts as well, and its repeats are refused.
 */
export const mentionInKey = (recipient: string): string =>
  recipient.includes('@') ? addressIn(recipient, '[^a-z0-9]', String.raw`[a-z0-9]|\.[a-z]`) : numberIn(recipient);

/**
 * A pattern for LIKE, which is much faster than the expression. It matches every text in lower case in which `mentionOf` finds the recipient,
 * because letters and digits are never escaped.
 */
export const roughMentionOf = (recipient: string): string => `%${(recipient.match(/[a-z0-9]+/g) ?? []).join('%')}%`;

/** Carriers write numbers with and without the plus sign. A short one counts only with it, and not in the time zone of a date. */
function numberIn(phone: string): string {
  const digits = phone.replace(/^\+/, '');
  if (digits.length < shortDigits) return String.raw`(?:\+|%2b|\\u002b)${digits}(?![0-9]|:[0-9])`;
  return String.raw`(?:^|[^0-9]|${escaped})${digits}(?![0-9])`;
}

function addressIn(address: string, before = '[^a-z0-9._%+-]', after = String.raw`[a-z0-9-]|\.[a-z0-9]`): string {
  const written = [...address].map((character) => (/[a-z0-9]/.test(character) ? character : eitherWay(character))).join('');
  return String.raw`(?:^|${before}|${escaped}|\\[nrt])${written}(?!${after})`;
}

/** A character as it is, or as forms write it. */
function eitherWay(character: string): string {
  const bytes = [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
  return `(?:${character.replaceAll(/[^\p{L}\p{N}]/gu, String.raw`\$&`)}|${bytes})`;
}
