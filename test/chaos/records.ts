/**
 * A history: what clients, carriers and receivers saw during one run, one JSON object per line, in the order of observation.
 *
 * One observer process writes all records, so the order of the lines is the order in real time: if line A is before line B, then A happened
 * before B. `at` is the observer's clock in epoch milliseconds. No nemesis changes the observer's clock. Something that takes time is two
 * records: one before it begins and one after it has ended.
 *
 * The oracle (`oracle/`) judges a history together with a snapshot of the database (`oracle/snapshot.ts`).
 */
import type { Channel } from '../../models/channels.js';
import type { AnswerRecord, CallRecord } from './client-records.js';

/**
 * One request to a carrier. All its records have the same `handoff`.
 * - `received`: the request was received completely
 * - `took`: the carrier will send this message, once for each `took`
 * - `refused`: the carrier answered that it will never send the message (4xx)
 * - `busy`: the carrier asked for a retry later (429, 5xx) and did not take the message
 * - `unclear`: the answer was a server error, which does not say whether the carrier took the message
 * - `repeated`: the carrier knows the idempotency key of a `took` and gave the same answer. It sends nothing more
 * - `asked`: instead of `received`: the caller queries an earlier request, and `found` is the answer
 * - `answered`: the last byte of the answer was passed to the operating system
 * - `lost`: there will be no answer: the carrier hangs, it cut the connection, or the caller disconnected before the answer
 */
export interface CarrierRecord {
  type: 'carrier';
  handoff: number;
  did: 'received' | 'took' | 'refused' | 'busy' | 'unclear' | 'repeated' | 'asked' | 'answered' | 'lost';
  carrier: string;
  /** As in `PROVIDER_ACCOUNTS` and in `send_attempts.provider`. */
  account: string;
  channel: Channel;
  token: string;
  /** As the client wrote it, without a prefix of the carrier's protocol. */
  to: string;
  /** The carrier's id of the message: for `took`, `repeated`, and an `asked` that found it. */
  providerId: string | null;
  /** Only for `asked`. */
  found?: boolean;
}

/** A carrier posts a report to our callback. Written before it is sent. A repeated report is two records. */
export interface ReportRecord {
  type: 'report';
  /** The number of the post in this run. Its `report-answer` has the same number. */
  report: number;
  carrier: string;
  account: string;
  providerId: string;
  /** Our status. Several statuses of a carrier may map to one of ours. */
  status: 'sent' | 'delivered' | 'failed' | 'read';
  /** False: signed with a wrong key, or not signed. It must change nothing. */
  genuine: boolean;
}

export interface ReportAnswerRecord {
  type: 'report-answer';
  report: number;
  /** The HTTP status of our answer; null if there was none. */
  status: number | null;
}

/** A receiver has read a POST completely. */
export interface EventRecord {
  type: 'event';
  webhook: string;
  /** Header `webhook-id`: the id of the event, which is the same at every attempt. */
  id: string;
  /** Header `X-Service-Event`. */
  event: string;
  /** The exact body. */
  body: string;
  /** All signatures, the hex header and the three headers, were verified with the webhook's secret. */
  signed: boolean;
  /** The status of the receiver's immediate answer; null: it hangs or cuts the connection. The answer may still be lost on the way to the sender. */
  answers: number | null;
}

export type Target = 'api' | 'worker' | 'temporal' | 'postgres' | 'redis' | 'carrier' | 'receiver' | 'disk' | 'clients';

/** A fault begins or ends. A momentary fault, such as a kill, has both records. Its end is when the part works again. */
export interface NemesisRecord {
  type: 'nemesis';
  /** The number of the fault in this run. Both records have the same number. */
  nemesis: number;
  did: 'began' | 'ended';
  /** For example `kill`, `terminate` (SIGTERM), `stop` (SIGSTOP), `backends`, `cut`, `delay`, `one-way`, `freeze`, `full`, `clock`, `hang`, `throttle`, `lose-answers`. */
  name: string;
  /** The affected part; for a link, both ends. */
  targets: Target[];
  detail?: string;
}

/** A process of the service has ended. */
export interface ExitRecord {
  type: 'exit';
  process: 'api' | 'worker';
  pid: number;
  /** The signal that the stage sent, if any. If a nemesis sent SIGKILL after a SIGTERM: `SIGKILL`. */
  asked: 'SIGTERM' | 'SIGKILL' | null;
  code: number | null;
  signal: string | null;
}

/**
 * - `run`: the first line of a history
 * - `load-began`, `load-ended`: the clients send nothing before and after
 * - `healed`: every fault has ended, and every part runs
 * - `settled`: no work is open any more, or the wait for that is over. The snapshot is taken after this
 */
export interface PhaseRecord {
  type: 'phase';
  phase: 'run' | 'load-began' | 'load-ended' | 'healed' | 'settled';
  /** With `run`: seed, commit, the command that repeats it, and the like. */
  detail?: Record<string, string | number>;
}

export type Fact =
  | CallRecord
  | AnswerRecord
  | CarrierRecord
  | ReportRecord
  | ReportAnswerRecord
  | EventRecord
  | NemesisRecord
  | ExitRecord
  | PhaseRecord;

/** A fact and the time of its observation. */
export type HistoryRecord = Fact & { at: number };
export type History = readonly HistoryRecord[];
