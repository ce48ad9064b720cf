/** What the clients of a run do. */
import type { Channel } from '../../../models/channels.js';
import type { Item, Step } from '../client-records.js';

export interface SendAct {
  kind: 'send';
  atMs: number;
  workspace: number;
  channel: Channel;
  item: Item;
  text: string;
  /** With a key, a call is repeated until it is answered. Without one, it is made once. */
  hasKey: boolean;
  /** The call is repeated this long after the answer. */
  repeatAfterMs?: number;
  fallback?: Step[];
  scheduledInMs?: number;
  expiresInMs?: number;
  /** The message is cancelled, its recipient is suppressed, or erased, this long after the answer. */
  cancelAfterMs?: number;
  suppressAfterMs?: number;
  eraseAfterMs?: number;
  /** When a carrier has the message, the recipient writes STOP, and this further message is sent: each after so many milliseconds. */
  stop?: Pick<SendAct, 'item' | 'text' | 'scheduledInMs'> & { afterMs: number; stopAfterMs: number };
}

export interface BulkAct {
  kind: 'bulk';
  atMs: number;
  workspace: number;
  channel: Channel;
  items: Item[];
  rate?: number;
  hasKey: boolean;
  scheduledInMs?: number;
  expiresInMs?: number;
  /** One after the other, each so many milliseconds after the one before. */
  steps: BulkStep[];
}

export type BulkStep =
  | { afterMs: number; change: 'pause' | 'resume' | 'cancel-batch' | 'get-batch' }
  /** Single messages of the batch, or recipients, that many at most. */
  | { afterMs: number; change: 'cancel-some' | 'suppress-some'; count: number };

export interface ReplayAct {
  kind: 'replay';
  atMs: number;
  workspace: number;
  /** The number of the webhook in its workspace. */
  webhook: number;
  /** The webhook is first inactive for this time. */
  pauseMs?: number;
}

/** One of the newest deliveries is sent again. */
export interface ResendAct {
  kind: 'resend';
  atMs: number;
  workspace: number;
  webhook: number;
  /** Which one: 0 is the newest, 1 the oldest. */
  place: number;
}

export type Act = SendAct | BulkAct | ReplayAct | ResendAct;
