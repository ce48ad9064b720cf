/** Passwords that the account itself suggests. Attackers try them after the common ones (OWASP ASVS 6.2.11). */

/** The name of the service. */
const serviceName = 'tidings';
/** Shorter words are part of too many good passwords. */
const wordLengthMin = 3;
/** A longer password is refused anyway. */
const passwordLengthMax = 256;

/**
 * Whether a password consists of the e-mail address, the part before the @, the company name and the name of the service, in any letter case,
 * several times or with each other. Digits and signs around and between them do not count.
 */
export function isMadeOfOwnWords(password: string, { email, name }: { email: string; name: string }): boolean {
  if (password.length > passwordLengthMax) return false;
  const words = [email, email.slice(0, email.indexOf('@')), name, serviceName];
  if (words.some((word) => word.toLowerCase() === password.toLowerCase())) return true;
  const parts = words.map(lettersOf).filter((word) => word.length >= wordLengthMin);
  return isChainOf(parts, lettersOf(password));
}

const lettersOf = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}]/gu, '');

/** Whether the text is one or several of these words. Not a regular expression: with words that overlap, that could take for ever. */
function isChainOf(words: readonly string[], text: string): boolean {
  const ends = new Set([0]);
  // A set may grow while it is iterated.
  for (const end of ends) for (const word of words) if (text.startsWith(word, end)) ends.add(end + word.length);
  return text !== '' && ends.has(text.length);
}
