/** One-click unsubscription from e-mails (RFC 2369, RFC 8058): the headers, and the token in their link. */
import { createHmac } from 'node:crypto';
import { isSameSecret } from '../values/same-secret.js';
import { isUuid } from '../values/text.js';

/** A token that identifies a message and proves that we made the link. It does not expire, because people keep mails for years. */
export const unsubscribeToken = (secretKey: string, messageId: string): string => `${messageId}.${mac(secretKey, messageId)}`;

/**
 * The message of a token; null if we did not make the token.
 * @param secretKeys the present key, then the earlier ones
 */
export function readUnsubscribeToken(secretKeys: readonly string[], token: string): string | null {
  const [messageId = ''] = token.split('.');
  if (!isUuid(messageId)) return null;
  return secretKeys.some((secretKey) => isSameSecret(token, unsubscribeToken(secretKey, messageId))) ? messageId : null;
}

/** The two headers of a mail. A mail program posts to the link when its user presses the button. */
export const unsubscribeHeaders = (publicUrl: string, token: string): Readonly<Record<string, string>> => ({
  'List-Unsubscribe': `<${publicUrl}/unsubscribe/${token}>`,
  'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
});

const mac = (secretKey: string, messageId: string) =>
  createHmac('sha256', secretKey).update('unsubscribe:').update(messageId).digest('base64url');
