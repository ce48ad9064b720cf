/** What a provider is to the rest: hand over a message, get a typed outcome. One file per provider beside this one. */
import type { Channel } from '../../models/config.js';
import type { Content } from '../../models/message.js';
import type { ReportStatus } from '../../models/rules/status.js';

/** A message on its way out. `id` is also the idempotency key, and what reports echo where the provider allows it. */
export interface OutgoingMessage {
  id: string;
  channel: Channel;
  to: string;
  content: Content;
  reference: string | null;
}

/**
 * What a call came to. `throttled` and `retryable`: certainly not taken, try again. `rejected`: never will be, with our public code.
 * `unknown`: the answer was lost, the message may be on its way.
 */
export type SendOutcome =
  | { outcome: 'accepted'; provider_message_id: string }
  | { outcome: 'throttled' | 'retryable'; detail: string; retryAfterMs?: number }
  | { outcome: 'rejected'; error_code: string; error_message: string; provider_error_code?: string }
  | { outcome: 'unknown'; detail: string };

/** What a provider says of a message when it is asked. */
export interface FetchedStatus {
  status: ReportStatus;
  provider_error_code: string | null;
  occurred_at: Date;
  raw: string;
}

export interface Provider {
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

export type Providers = Record<Channel, Provider>;
