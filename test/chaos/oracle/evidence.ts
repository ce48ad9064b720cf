/** A history and a snapshot, with indexes for the rules. */
import { groupBy } from '../../../models/rules/values/group-by.js';
import type { Channel } from '../../../models/channels.js';
import type { AnswerRecord, CallRecord, Item } from '../client-records.js';
import type { EventRecord, ExitRecord, History, HistoryRecord, ReportRecord } from '../records.js';
import { collectFaults, type Faults } from './faults.js';
import { collectHandoffs, type Handoff } from './handoffs.js';
import type { AttemptFact, DeliveryFact, EventFact, MessageFact, Snapshot, TransferFact, WebhookFact } from './snapshot.js';

export type At<T> = T & { at: number };
export type Answer = At<AnswerRecord>;
/** A call with its answer; null: no answer. */
export type Call = At<CallRecord> & { answer: (Answer & { status: number }) | null };
export type Arrival = At<EventRecord>;
export type Report = At<ReportRecord> & { status_answered: number | null; answeredAt: number };

/** Calls for the same thing: a first call and its retries with one idempotency key, or a call without a key. */
export interface Request {
  operation: 'send' | 'bulk';
  workspace: string;
  /** In the order of their beginnings. */
  calls: Call[];
  channel: Channel;
  items: readonly Item[];
  /** The ids of messages or batches in answers with 201. */
  accepted: string[];
}

/** Settings of the run that the rules depend on. */
export interface Limits {
  /** UNKNOWN_HANDOFF_TIMEOUT: how long an unknown hand-off waits for its report. */
  unknownHandoffMs: number;
  /** HANDOFF_TIMEOUT. */
  handoffMs: number;
  /** How many attempts a delivery has before it fails: one more than WEBHOOK_RETRY_DELAYS has entries. */
  webhookAttempts: number;
}

const defaultLimits: Limits = { unknownHandoffMs: 120_000, handoffMs: 14_400_000, webhookAttempts: 10 };

export interface Evidence {
  /** Its erased messages have the recipients and tokens of their requests, so that other rules can judge them too. */
  snapshot: Snapshot;
  /** Erased messages as they are stored, by id. */
  erased: ReadonlyMap<string, MessageFact>;
  limits: Limits;
  calls: Call[];
  /** Sends and bulk sends. */
  requests: Request[];
  handoffs: Handoff[];
  reports: Report[];
  arrivals: Arrival[];
  exits: At<ExitRecord>[];
  faults: Faults;
  message: ReadonlyMap<string, MessageFact>;
  /** How much of other charges a message took over, and how much of its own others took over, by its id. */
  takenOver: ReadonlyMap<string, number>;
  givenOver: ReadonlyMap<string, number>;
  /** Token → the request with that token. */
  requestOf: ReadonlyMap<string, Request>;
  /** By `wordOf`: one message. A step of a chain is another message. */
  handoffsOf: ReadonlyMap<string, Handoff[]>;
  attemptsOf: ReadonlyMap<string, AttemptFact[]>;
  /** By `account providerId`. */
  reportsOf: ReadonlyMap<string, Report[]>;
  /** By message id. */
  eventsOf: ReadonlyMap<string, EventFact[]>;
  /** By event id. */
  deliveriesOf: ReadonlyMap<string, DeliveryFact[]>;
  /** By `webhook eventId`. */
  arrivalsOf: ReadonlyMap<string, Arrival[]>;
  webhook: ReadonlyMap<string, WebhookFact>;
  /** By the id of the message, batch or webhook of the call. */
  callsOn: ReadonlyMap<string, Call[]>;
  /** The calls that suppress a recipient, with those by which carriers pass on a STOP, by `placeOf`. */
  suppressionsOf: ReadonlyMap<string, Call[]>;
}

/** Identifies a message of a run from outside: steps of a chain have the same token, but another channel and recipient. */
export const wordOf = ({ token, channel, to }: { token: string | null; channel: string; to: string }) => `${token} ${channel} ${to}`;

/** Identifies a recipient of a workspace on a channel. */
export const placeOf = ({ workspace, channel = '', to = '' }: { workspace: string; channel?: string; to?: string }) =>
  `${workspace} ${channel} ${to}`;

const ofType = <Type extends HistoryRecord['type']>(history: History, type: Type) =>
  history.filter((record): record is Extract<HistoryRecord, { type: Type }> => record.type === type);

/** Indexes a history and a snapshot once, so that each look-up takes constant time. */
export function gather(history: History, stored: Snapshot, limits: Partial<Limits> = {}): Evidence {
  const calls = callsOf(history);
  const requests = requestsOf(calls);
  const snapshot = withErased(stored, requests);
  const handoffs = collectHandoffs(ofType(history, 'carrier'));
  const reports = reportsIn(history);
  const arrivals = ofType(history, 'event');
  const tokens = requests.flatMap((request) => request.items.map(({ token }) => [token, request] as const));
  return {
    snapshot,
    erased: new Map(stored.messages.filter(({ erased_at }) => erased_at !== null).map((row) => [row.id, row])),
    limits: { ...defaultLimits, ...limits },
    calls,
    requests,
    handoffs,
    reports,
    arrivals,
    exits: ofType(history, 'exit'),
    faults: collectFaults(ofType(history, 'nemesis')),
    message: new Map(snapshot.messages.map((row) => [row.id, row])),
    takenOver: sumsOf(snapshot.transfers, ({ to_id }) => to_id),
    givenOver: sumsOf(snapshot.transfers, ({ from_id }) => from_id),
    requestOf: new Map(tokens),
    handoffsOf: groupBy(handoffs, wordOf),
    attemptsOf: groupBy(snapshot.attempts, ({ message_id }) => message_id),
    reportsOf: groupBy(reports, ({ account, providerId }) => `${account} ${providerId}`),
    eventsOf: groupBy(snapshot.events, ({ message_id }) => message_id),
    deliveriesOf: groupBy(snapshot.deliveries, ({ event_id }) => event_id),
    arrivalsOf: groupBy(arrivals, ({ webhook, id }) => `${webhook} ${id}`),
    webhook: new Map(snapshot.webhooks.map((row) => [row.id, row])),
    callsOn: groupBy(
      calls.filter(({ target }) => target !== undefined),
      ({ target }) => target ?? '',
    ),
    suppressionsOf: groupBy(
      calls.filter(({ operation }) => operation === 'suppress' || operation === 'stop'),
      placeOf,
    ),
  };
}

function withErased(stored: Snapshot, requests: readonly Request[]): Snapshot {
  const asked = new Map(
    requests
      .filter(({ operation }) => operation === 'send')
      .flatMap(({ accepted, items }) => accepted.map((id) => [id, items[0]] as const)),
  );
  return { ...stored, messages: stored.messages.map((row) => (row.erased_at === null ? row : { ...row, ...asked.get(row.id) })) };
}

function sumsOf(transfers: readonly TransferFact[], idOf: (transfer: TransferFact) => string): Map<string, number> {
  const sums = new Map<string, number>();
  for (const transfer of transfers) sums.set(idOf(transfer), (sums.get(idOf(transfer)) ?? 0) + transfer.amount);
  return sums;
}

function callsOf(history: History): Call[] {
  const answers = new Map(ofType(history, 'answer').map((answer) => [answer.call, answer]));
  return ofType(history, 'call').map((call) => {
    const answer = answers.get(call.call);
    const whole = answer === undefined || answer.status === null ? null : { ...answer, status: answer.status };
    return { ...call, answer: whole };
  });
}

function requestsOf(calls: Call[]): Request[] {
  const sends = calls.filter(({ operation }) => operation === 'send' || operation === 'bulk');
  const groups = groupBy(sends, ({ operation, workspace, key, call }) => `${operation} ${workspace} ${key ?? `#${call}`}`);
  return [...groups.values()].map((same) => {
    const [{ operation, workspace, channel = 'sms', items = [] }] = same as [Call];
    const accepted = same.flatMap(({ answer }) => (answer?.status === 201 && answer.id !== null ? [answer.id] : []));
    return { operation: operation as 'send' | 'bulk', workspace, calls: same, channel, items, accepted: [...new Set(accepted)] };
  });
}

function reportsIn(history: History): Report[] {
  const answers = new Map(ofType(history, 'report-answer').map((answer) => [answer.report, answer]));
  return ofType(history, 'report').map((report) => {
    const answer = answers.get(report.report);
    return { ...report, status_answered: answer?.status ?? null, answeredAt: answer?.at ?? Number.POSITIVE_INFINITY };
  });
}
