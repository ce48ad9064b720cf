/** The records of clients in a history (records.ts): their requests, and the answers. */
import type { Channel } from '../../models/channels.js';

export type Operation =
  | 'send'
  | 'bulk'
  | 'cancel'
  | 'cancel-batch'
  | 'pause'
  | 'resume'
  | 'get-batch'
  | 'replay'
  | 'resend'
  | 'update-webhook'
  | 'suppress'
  | 'stop'
  | 'erase';

/** One message of a request. */
export interface Item {
  to: string;
  /** A part of the text, and so of the request that the carrier gets. Unique in the run. See `newToken`. */
  token: string;
  /** Unicode code points of the rendered text, which determine the price of an sms. */
  length: number;
}

/** A step of `fallback`: the same text, and so the same token, to `to` on another channel. */
export interface Step {
  channel: Channel;
  to: string;
  /** The step begins after so many seconds if the step before it is not delivered. */
  after: number;
}

/** A client's request, written before its first byte is sent. A retry with the same key is a separate call. */
export interface CallRecord {
  type: 'call';
  /** The number of the call in this run. Its `answer` has the same number. */
  call: number;
  operation: Operation;
  workspace: string;
  /** `Idempotency-Key`; null if none was sent. */
  key: string | null;
  /** send, bulk, suppress and stop */
  channel?: Channel;
  /** suppress, stop: the recipient on this channel. */
  to?: string;
  /** send: one. bulk: the messages that the batch must have, without invalid recipients and duplicates. */
  items?: Item[];
  fallback?: Step[];
  /** Epoch milliseconds. */
  scheduledAt?: number;
  expiresAt?: number;
  /** bulk: messages per second. */
  rate?: number;
  /** cancel, erase: the message, whose recipient is erased; pause, resume, cancel-batch, get-batch: the batch; replay, resend, update-webhook: the webhook. */
  target?: string;
  /** update-webhook: the changed fields. replay: `since` in epoch milliseconds. */
  change?: { is_active?: boolean; events?: string[]; url?: string; since?: number };
}

/** The answer to a call, written when it was read completely or the connection had failed. */
export interface AnswerRecord {
  type: 'answer';
  call: number;
  /** HTTP status; null if there was no complete answer. */
  status: number | null;
  /** Header `Idempotent-Replayed`. */
  replayed: boolean;
  /** `code` and `error` of an error answer. */
  code: string | null;
  error: string | null;
  /** The id of the message, batch or replay in the answer. */
  id: string | null;
  /** `data.message`, `data.batch` or `data.replay` of the answer. */
  data: Record<string, unknown> | null;
}
