/** The interface of a provider: send a message, get a typed outcome. Each provider has its own file in this folder. */
import type { Channel } from '../../../models/channels.js';
import type { Content } from '../../../models/rules/messages/content.js';
import type { Route } from '../../../models/rules/routing/route.js';
import type { IncomingReport } from '../../../models/rules/callbacks/callback.js';

/** A message to send. `id` is also the idempotency key. Reports contain it if the provider supports that. */
export interface OutgoingMessage {
  id: string;
  channel: Channel;
  to: string;
  content: Content;
  reference: string | null;
  /** Milliseconds since the start of the last call whose outcome is unknown; null if there is none. */
  uncertain_ms: number | null;
  /** Additional headers of an e-mail. */
  headers?: Readonly<Record<string, string>>;
}

/**
 * The outcome of a call. `throttled` and `retryable`: certainly not taken, try again. `rejected`: the message fails, with our public error code
 * (`suppressed` when the recipient has opted out at the provider). `unknown`: the answer was lost, and the provider may have taken the message.
 * `isUnreported`: the provider will not report on the message. `concernsRecipient`: the account takes messages to others. `isUncalled`: the
 * adapter rejected the message without a call.
 */
export type SendOutcome =
  | { outcome: 'accepted'; provider_message_id: string; isUnreported?: true }
  | { outcome: 'throttled' | 'retryable'; detail: string; retryAfterMs?: number; concernsRecipient?: true }
  | {
      outcome: 'rejected';
      error_code: string;
      error_message: string;
      is_permanent?: boolean;
      provider_error_code?: string;
      concernsRecipient?: true;
      isUncalled?: true;
    }
  | { outcome: 'unknown'; detail: string };

/** The result of a status query. */
export type FetchedStatus = Omit<IncomingReport, 'provider' | 'provider_message_id' | 'message_id'>;

/** One account with a provider. */
export interface Provider {
  /** The name of the account, as in the rows of its messages and in the path of its callbacks. */
  readonly name: string;
  /** True when a second call with the same message id has no second effect. */
  readonly idempotent: boolean;
  /** How long one call may last, if longer than `providerDeadlineMs`. */
  readonly deadlineMs?: number;
  /** How many calls the thread makes at once; `Infinity` if it needs no connections. Further calls would wait for one. */
  readonly connectionsMax: number;
  /** Sends a message. Does not throw for faults of the network or the provider: these are outcomes. */
  send(message: OutgoingMessage, signal: AbortSignal): Promise<SendOutcome>;
  /** Queries the last status of a message that was taken; null if the provider has none yet. Absent if it has no such query. */
  fetchStatus?(provider_message_id: string, signal: AbortSignal): Promise<FetchedStatus | null>;
  /**
   * Only for providers that are not idempotent: finds the id of a message after a call whose answer was lost. If the provider does not find it,
   * the message fails and is refunded, because it must not be sent twice. Throws if it is not known yet.
   */
  reconcile?(message: OutgoingMessage, signal: AbortSignal): Promise<string | undefined>;
  /** Asks whether the provider takes the credentials, with a call that changes nothing. Absent if there are none. Does not throw. */
  readonly checkCredentials?: (signal: AbortSignal) => Promise<CredentialsAnswer>;
}

/** `unclear`: the provider cannot be reached, or its answer says nothing about the credentials. */
export type CredentialsAnswer = 'accepted' | 'refused' | { unclear: string };

/** The accounts, and the routes of each channel. */
export interface Providers {
  /** By name. Includes accounts without a route, which still answer status queries. */
  accounts: ReadonlyMap<string, Provider>;
  /** The accounts of a channel, at least one. */
  routes: Readonly<Record<Channel, readonly Route[]>>;
}
