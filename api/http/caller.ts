import type { Channel } from '../../models/channels.js';
import { missingScope } from '../../models/errors.js';
import type { Scope } from '../../models/rules/accounts/api-key.js';
import type { Actor, RequestCredential } from '../../models/rules/audit/origin.js';

/** The workspace of a credential, as read for this request. Amounts are in thousandths of a credit. */
export interface Caller {
  workspaceId: string;
  balance: number;
  /** What the daily limit leaves for today; null without a limit. */
  spendLeft: number | null;
  /** The allowed countries of phone recipients; null allows all. */
  allowedCountries: readonly string[] | null;
  isVerified: boolean;
  isSuspended: boolean;
  actor: Actor;
  /** Checked again under the lock of the workspace's row where the caller changes it, see `asCaller`. */
  credential: RequestCredential;
  /** The channels that the API key may send on; null allows all. */
  channels: readonly Channel[] | null;
  /** The JWT, with its token version (see `Claims.tv`); null with an API key, and with a portal link. */
  session: { id: string; version: number; expiresAt: Date } | null;
  /** The scopes of the API key; undefined for a JWT, which has all. */
  scopes?: readonly Scope[];
  /** With a portal link: the only webhook that the caller may see. `actor` is the owner who made the link. */
  portalWebhookId?: string;
  /** How many active webhooks the workspace has. */
  webhooks?: number;
}

/**
 * Whether a credential with these scopes has the scope that an operation needs.
 * @param scopes undefined: it has all
 * @param needed null: the operation needs none
 */
export const hasScope = (scopes: readonly Scope[] | undefined, needed: Scope | null): boolean =>
  needed === null || scopes === undefined || scopes.includes(needed);

/** @throws AppError 403 when the API key of the caller does not have this scope */
export function assertScope(caller: Caller | null, needed: Scope | null): void {
  if (needed !== null && !hasScope(caller?.scopes, needed)) throw missingScope(needed);
}
