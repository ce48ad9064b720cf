import type { Channel } from '../../models/channels.js';
import type { Session } from '../../models/operations/accounts/end-sessions.js';
import type { Scope } from '../../models/rules/accounts/api-key.js';
import type { Actor } from '../../models/rules/audit/origin.js';

/** The workspace that a credential belongs to, as of this request; amounts in thousandths of a credit. */
export interface Caller {
  workspaceId: string;
  balance: number;
  /** What its limit leaves of the day; null: it has none. */
  spendLeft: number | null;
  /** Phones of other countries are not written to; null: of all are. */
  allowedCountries: readonly string[] | null;
  isVerified: boolean;
  isSuspended: boolean;
  actor: Actor;
  /** Channels that its API key may send by; null: all. */
  channels: readonly Channel[] | null;
  /** The JWT of the request; null with an API key, and of JWTs without an id. */
  session: Session | null;
  /** Of an API key; a JWT may do everything. */
  scopes?: readonly Scope[];
  /** Of an API key: how many active webhooks its workspace has. */
  webhooks?: number;
}
