/**
 * The tokens in mails. A token is derived from its row's id and SECRET_KEY, so that whoever writes the mail can make it
 * again from the id, while the database holds only its hash.
 */
import { createHash, createHmac } from 'node:crypto';

/** Purpose of a token: it opens nothing else. */
export type MailTokenPurpose = 'verify' | 'reset' | 'change_email';

/** How long a token lives (docs/contract/accounts.md). */
export const mailTokenLifetimeMs: Readonly<Record<MailTokenPurpose, number>> = {
  verify: 24 * 3_600_000,
  reset: 60 * 60_000,
  change_email: 24 * 3_600_000,
};

/** The token of this row: 43 characters of base64url. */
export const mailToken = (secretKey: string, tokenId: string): string =>
  createHmac('sha256', secretKey).update('mail-token:').update(tokenId).digest('base64url');

/** The hash under which a token is stored and found. */
export const digestMailToken = (token: string): Buffer => createHash('sha256').update(token).digest();
