/**
 * Proof that a message was previewed: a MAC of the message, so that a send with other fields needs another preview. The token does not contain
 * the message, and nothing is stored.
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type AppError, invalid } from '../../models/errors.js';
import { digestRequest } from '../http/idempotency.js';

/** A preview is valid for a short time, because prices and balances change. */
const lifetimeMs = 10 * 60_000;
const pattern = /^([0-9a-z]{8,9})\.([\w-]{16})\.([\w-]{43})$/;

export interface Previewed {
  workspaceId: string;
  /** The fields of the message, as the client gave them. */
  message: object;
}

/** @param secretKeys the first one makes the token */
export function issuePreviewToken(secretKeys: readonly [string, ...string[]], previewed: Previewed, now = Date.now()): string {
  const head = `${(now + lifetimeMs).toString(36)}.${randomBytes(12).toString('base64url')}`;
  return `${head}.${macOf(secretKeys[0], head, previewed).toString('base64url')}`;
}

/**
 * Checks that this message was previewed in the last ten minutes.
 * @returns the part of the token that differs in each preview: sends with the same preview are the same send
 * @throws AppError 400
 */
export function readPreviewToken(secretKeys: readonly string[], token: unknown, previewed: Previewed, now = Date.now()): string {
  const [, expiresAt = '', id = '', mac = ''] = pattern.exec(String(token)) ?? [];
  const given = Buffer.from(mac, 'base64url');
  const head = `${expiresAt}.${id}`;
  const isOurs = secretKeys.some((key) => {
    const expected = macOf(key, head, previewed);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isOurs) throw refused('preview_token does not belong to a preview of this message');
  if (Number.parseInt(expiresAt, 36) < now) throw refused('The preview is older than 10 minutes');
  return id;
}

const hint = 'Call preview_messages with the same fields, and use the preview_token of its response';
const refused = (message: string): AppError => invalid([{ field: 'preview_token', message, hint }]);

const macOf = (key: string, head: string, { workspaceId, message }: Previewed): Buffer =>
  createHmac('sha256', key).update(`mcp-preview.${head}.${workspaceId}.`).update(digestRequest(message)).digest();
