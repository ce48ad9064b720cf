/** Passwords that the account itself suggests. Attackers try them after the common ones (OWASP ASVS 6.2.11). */

/** The name of the service, with digits and signs around it. */
const serviceName = /^[^\p{L}]*(tidings[^\p{L}]*)+$/iu;

/**
 * Whether a password is the e-mail address, the part before the @ or the company name, in any letter case, or the name of the service with
 * digits or signs. Longer combinations are allowed: a passphrase may contain a name.
 */
export function isMadeOfOwnWords(password: string, { email, name }: { email: string; name: string }): boolean {
  const folded = foldedOf(password);
  const words = [email, email.slice(0, email.indexOf('@')), name].map(foldedOf);
  return words.includes(folded) || serviceName.test(password);
}

const foldedOf = (text: string): string => text.normalize('NFKC').toLowerCase();
