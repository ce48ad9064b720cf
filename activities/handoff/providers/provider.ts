/** What a provider is to the rest: hand over a message, get a typed outcome. One file per provider beside this one. */
import type { Channel } from '../../../models/channels.js';
import type { Content } from '../../../models/rules/messages/message-content.js';
import type { Route } from '../../../models/settings/provider-routes.js';
import type { IncomingReport } from '../../../models/rules/callbacks/callback.js';

/** A message on its way out. `id` is also the idempotency key, and what reports echo where the provider allows it. */
export interface OutgoingMessage {
  id: string;
  channel: Channel;
  to: string;
  content: Content;
  reference: string | null;
  /** Milliseconds since the last call that may have reached the provider began; null where there is none. */
  uncertain_ms: number | null;
  /** Further headers of an e-mail; other channels have none. */
  headers?: Readonly<Record<string, string>>;
}

/**
 * What a call came to. `throttled` and `retryable`: certainly not taken, try again. `rejected`: never will be, with our public code; with the code
 * `suppressed` where the provider knows that the recipient has opted out.
 * `unknown`: the answer was lost, the message may be on its way. `isUnreported`: nothing will ever be heard of it again.
 */
export type SendOutcome =
  | { outcome: 'accepted'; provider_message_id: string; isUnreported?: true }
  | { outcome: 'throttled' | 'retryable'; detail: string; retryAfterMs?: number }
  | { outcome: 'rejected'; error_code: string; error_message: string; is_permanent?: boolean; provider_error_code?: string }
  | { outcome: 'unknown'; detail: string };

/** What a provider says of a message when it is asked. */
export type FetchedStatus = Omit<IncomingReport, 'provider' | 'provider_message_id' | 'message_id'>;

/** One account with a provider. */
export interface Provider {
  /** The name of the account: stands in the rows of its messages and in the path of its callbacks. */
  readonly name: string;
  /** True when a second call with the same message id has no second effect. */
  readonly idempotent: boolean;
  /** Never throws for what the network or the provider does: that is an outcome. */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<SendOutcome>;
  /** The last thing the provider knows of a message it took; null when it knows nothing yet or cannot be asked. */
  fetchStatus(provider_message_id: string, signal: AbortSignal): Promise<FetchedStatus | null>;
  /**
   * Only where not idempotent: finds out what became of a call whose answer was lost. `null`: certainly not taken, send again.
   * `undefined`: it cannot be told; the message is then failed and refunded rather than perhaps sent twice.
   */
  reconcile?(message: OutgoingMessage, signal: AbortSignal): Promise<string | null | undefined>;
}

/** Who carries what. */
export interface Providers {
  /** By name; also those that carry nothing any more and answer for what they have taken. */
  accounts: ReadonlyMap<string, Provider>;
  /** The accounts that share a channel: one at least. */
  routes: Readonly<Record<Channel, readonly Route[]>>;
}
