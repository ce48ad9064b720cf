/**
 * The tokens in mails. A token is derived from the id of its row and SECRET_KEY, so that the sender of the mail can derive it again from
 * the id, while the database stores only its hash.
 */
import { createHash, createHmac } from 'node:crypto';

/** The purpose of a token. It is valid for nothing else. */
export type MailTokenPurpose = 'verify' | 'reset' | 'change_email';

/** The lifetime of a token (docs/contract/accounts.md). */
export const mailTokenLifetimeMs: Readonly<Record<MailTokenPurpose, number>> = {
  verify: 24 * 3_600_000,
  reset: 60 * 60_000,
  change_email: 24 * 3_600_000,
};

/** The token of this row: 43 characters of base64url. */
export const mailToken = (secretKey: string, tokenId: string): string =>
  createHmac('sha256', secretKey).update('mail-token:').update(tokenId).digest('base64url');

/**
 * The token of this row, whichever of these keys it was made with.
 * @param digest the hash under which it is stored
 * @returns undefined if it was made with none of them
 */
export const storedMailToken = (secretKeys: readonly string[], tokenId: string, digest: Buffer): string | undefined =>
  secretKeys.map((secretKey) => mailToken(secretKey, tokenId)).find((token) => digestMailToken(token).equals(digest));

/** The hash under which a token is stored. */
export const digestMailToken = (token: string): Buffer => createHash('sha256').update(token).digest();
