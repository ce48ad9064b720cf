/** What stands in the place of a recipient who was erased: a digest that only the installation can make. */
import { createHash } from 'node:crypto';

/** No phone number, address or idempotency key of a client is mistaken for one: it begins so and has 64 hexadecimal digits. */
const mark = '#';

/** The digest of a text. @param key 32 random bytes of the installation */
export function digestOf(key: Buffer, text: string): string {
  const inner = createHash('sha256').update(key).update(text, 'utf8').digest();
  return mark + createHash('sha256').update(key).update(inner).digest('hex');
}

/** SQL: the same. @param key a parameter; where it is null, so is the digest */
export const digestIn = (key: string, text: string) =>
  `'${mark}' || encode(sha256(${key}::bytea || sha256(${key}::bytea || convert_to(${text}, 'UTF8'))), 'hex')`;

/** Whether this stands in the place of a recipient. */
const isErased = (recipient: string): boolean => /^#[0-9a-f]{64}$/.test(recipient);

/** The recipient as others may see him. */
export const shownRecipient = (recipient: string): string | null => (isErased(recipient) ? null : recipient);
