/**
 * A history: what everybody outside the service saw during one run, one JSON object a line, in the order in which it was seen.
 *
 * One observer process writes all records, so the order of the lines is real-time order: when line A stands before line B, then what
 * A tells happened before what B tells. `at` is the observer's clock in epoch milliseconds; the observer's clock is never disturbed.
 * Something that takes time is two records: one written before it begins and one written after it ended.
 *
 * The oracle (`oracle/`) judges a history together with a snapshot of the database (`oracle/snapshot.ts`).
 */
import { createWriteStream, readFileSync, type WriteStream } from 'node:fs';
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
  | 'update-webhook';

/** One message that a request asks for. */
export interface Item {
  to: string;
  /** Stands in the text, and so in the request that the carrier gets; unique in the run. See `newToken`. */
  token: string;
  /** Unicode code points of the rendered text: what the price of an sms follows. */
  length: number;
}

/** A step of `fallback`: the same text, and so the same token, to `to` on another channel. */
export interface Step {
  channel: Channel;
  to: string;
  /** Seconds after which it begins when the step before it is not delivered. */
  after: number;
}

/** A client's request, written before its first byte goes out. A retry with the same key is a call of its own. */
export interface CallRecord {
  type: 'call';
  /** Number of the call in this run; its `answer` bears the same. */
  call: number;
  operation: Operation;
  workspace: string;
  /** `Idempotency-Key`; null where none was sent. */
  key: string | null;
  /** send and bulk */
  channel?: Channel;
  /** send: one; bulk: those that the batch is to have, after invalid ones and duplicates are taken out. */
  items?: Item[];
  fallback?: Step[];
  /** Epoch milliseconds. */
  scheduledAt?: number;
  expiresAt?: number;
  /** bulk: messages a second. */
  rate?: number;
  /** cancel: the message; pause, resume, cancel-batch, get-batch: the batch; replay, resend, update-webhook: the webhook. */
  target?: string;
  /** update-webhook: what changes; replay: `since` in epoch milliseconds. */
  change?: { is_active?: boolean; events?: string[]; url?: string; since?: number };
}

/** What came back, written when the answer was read wholly or the connection had failed. */
export interface AnswerRecord {
  type: 'answer';
  call: number;
  /** HTTP status; null: no answer, or not all of it. */
  status: number | null;
  /** Header `Idempotent-Replayed`. */
  replayed: boolean;
  /** `code` and `error` of an error. */
  code: string | null;
  error: string | null;
  /** Id of the message, batch or replay in the answer. */
  id: string | null;
  /** `data.message`, `data.batch` or `data.replay` of the answer. */
  data: Record<string, unknown> | null;
}

/**
 * One request to a carrier; all records of it bear the same `handoff`.
 * - `received`: the request has come in wholly
 * - `took`: the carrier will send this message, once for each `took`
 * - `refused`: told the caller that it will never be sent (4xx for this message)
 * - `busy`: told the caller to come again: 429, 5xx; not taken
 * - `unclear`: answered with a server error, which does not tell the caller whether it took the message
 * - `repeated`: the carrier knows the idempotency key of a `took` and gave the same answer; nothing new is sent
 * - `asked`: instead of `received`: the caller asks what became of an earlier request, and `found` is what it is told
 * - `answered`: the last byte of the answer was given to the operating system
 * - `lost`: there will be no answer: the carrier hangs, cut the connection, or the caller was gone before it was answered
 */
export interface CarrierRecord {
  type: 'carrier';
  handoff: number;
  did: 'received' | 'took' | 'refused' | 'busy' | 'unclear' | 'repeated' | 'asked' | 'answered' | 'lost';
  carrier: string;
  /** As in `PROVIDER_ACCOUNTS`: what `send_attempts.provider` says. */
  account: string;
  channel: Channel;
  token: string;
  /** As the client wrote it, without a prefix of the carrier's protocol. */
  to: string;
  /** The carrier's id of the message: with `took`, `repeated` and `asked` that found it. */
  providerId: string | null;
  /** Only with `asked`. */
  found?: boolean;
}

/** A carrier posts a report to our callback; written before it goes out. A doubled report is two records. */
export interface ReportRecord {
  type: 'report';
  /** Number of the post in this run; its `report-answer` bears the same. */
  report: number;
  carrier: string;
  account: string;
  providerId: string;
  /** In our words. Several of the carrier's words may be one of ours. */
  status: 'sent' | 'delivered' | 'failed' | 'read';
  /** False: signed with a wrong key, or not at all. It must change nothing. */
  genuine: boolean;
}

export interface ReportAnswerRecord {
  type: 'report-answer';
  report: number;
  /** HTTP status of our answer; null: none came. */
  status: number | null;
}

/** A receiver has read a POST wholly. */
export interface EventRecord {
  type: 'event';
  webhook: string;
  /** Header `webhook-id`: the id of the event, the same at every attempt. */
  id: string;
  /** Header `X-Service-Event`. */
  event: string;
  /** The exact body. */
  body: string;
  /** Both signatures, the hex header and the trio, were verified with the webhook's secret. */
  signed: boolean;
  /** The status that it answers at once; null: it hangs or cuts the connection. The sender may not see the answer all the same. */
  answers: number | null;
}

export type Target = 'api' | 'worker' | 'temporal' | 'postgres' | 'redis' | 'carrier' | 'receiver' | 'disk' | 'clients';

/** A fault begins or ends. One of a moment, such as a kill, has both records; its end is when the part serves again. */
export interface NemesisRecord {
  type: 'nemesis';
  /** Number of the fault in this run: the same in both records. */
  nemesis: number;
  did: 'began' | 'ended';
  /** For example `kill`, `terminate` (SIGTERM), `stop` (SIGSTOP), `backends`, `cut`, `delay`, `one-way`, `freeze`, `full`, `clock`, `hang`, `throttle`, `lose-answers`. */
  name: string;
  /** The part that suffers; of a link both ends. */
  targets: Target[];
  detail?: string;
}

/** A process of ours ended. */
export interface ExitRecord {
  type: 'exit';
  process: 'api' | 'worker';
  pid: number;
  /** The signal that the stage sent, if any. After a SIGTERM that was followed by a SIGKILL of a nemesis: `SIGKILL`. */
  asked: 'SIGTERM' | 'SIGKILL' | null;
  code: number | null;
  signal: string | null;
}

/**
 * - `run`: first line of a history
 * - `load-began`, `load-ended`: the clients send nothing before and after
 * - `healed`: every fault has ended, every part runs
 * - `settled`: nothing moves any more, or the wait for that is over; the snapshot is taken after this
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

/** A fact and when it was seen. */
export type HistoryRecord = Fact & { at: number };
export type History = readonly HistoryRecord[];

/** Where records of a run are written. */
export interface HistoryWriter {
  /** Stamps the fact with the time and appends it. Never waits. @returns the time */
  append(fact: Fact): number;
  /** Resolves when all that was appended is in the file. */
  flush(): Promise<void>;
  /** The same, and nothing can be appended any more. */
  close(): Promise<void>;
}

/** Begins a history in a new file. Records are in the order of `append`. */
export function openHistory(path: string): HistoryWriter {
  const file: WriteStream = createWriteStream(path, { flags: 'w' });
  let failure: Error | undefined;
  file.on('error', (error) => {
    failure = error;
  });
  let last = 0;
  const flush = () =>
    new Promise<void>((resolve, reject) => {
      file.write('', (error) => {
        const problem = failure ?? error;
        if (problem) reject(problem);
        else resolve();
      });
    });
  return {
    append: (fact) => {
      last = Math.max(last, Date.now()); // the order of the lines holds even if the machine's clock is set back
      file.write(`${JSON.stringify({ at: last, ...fact })}\n`);
      return last;
    },
    flush,
    close: async () => {
      await flush();
      await new Promise<void>((resolve) => file.end(resolve));
    },
  };
}

/** @throws SyntaxError for a line that is no JSON; a last line without an end, from a process that was killed, is left out */
export function readHistory(path: string): HistoryRecord[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  return lines.slice(0, -1).map((line) => JSON.parse(line) as HistoryRecord);
}

const tokenForm = /\btk[0-9a-z]{4,32}\b/;

/** A token for the text of a message: `tk` and a number in base 36 that the caller counts up, with the seed of the run before it. */
export const newToken = (seed: number, number: number): string => `tk${seed.toString(36)}z${number.toString(36).padStart(6, '0')}`;

/** The token in a text; null when there is none. */
export const tokenIn = (text: string): string | null => tokenForm.exec(text)?.[0] ?? null;
