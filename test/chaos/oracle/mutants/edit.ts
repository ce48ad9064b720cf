/** Helpers that change a run so that only the intended part is wrong: the consequences of a change are changed too. */
import type { HistoryRecord } from '../../records.js';
import { wordOf } from '../evidence.js';
import type { PerfectRun } from '../perfect/run.js';
import type { DeliveryFact, EntryFact, EventFact, MessageFact } from '../snapshot.js';

/** A run that may be changed. After `sort`, its history is in order of time again. */
export interface Draft extends PerfectRun {
  history: HistoryRecord[];
}

export type RecordOf<Type extends HistoryRecord['type']> = Extract<HistoryRecord, { type: Type }>;

/** A planted fault. It throws `Missing` if the run has no place for it. */
export interface Mutant {
  name: string;
  /** The rule that must notice it. Others may notice it too. */
  rule: string;
  plant(run: Draft): void;
}

export class Missing extends Error {}

/** The first matching item. Throws if there is none. */
export function first<T>(items: readonly T[], fits: (item: T) => boolean): T {
  const item = items.find(fits);
  if (item === undefined) throw new Missing();
  return item;
}

export const recordsOf = <Type extends HistoryRecord['type']>(run: Draft, type: Type) =>
  run.history.filter((record): record is RecordOf<Type> => record.type === type);

/** Removes items from a list, in place. */
export function drop<T>(items: T[], fits: (item: T) => boolean): void {
  for (let index = items.length - 1; index >= 0; index -= 1) if (fits(items[index] as T)) items.splice(index, 1);
}

/** Sorts the records by their times again. */
export function sort({ history }: Draft): void {
  history.splice(0, history.length, ...history.toSorted((one, other) => one.at - other.at));
}

/** A single message of the workspace that never runs out of credits, in no chain and not erased. */
export function message(run: Draft, fits: (row: MessageFact) => boolean = () => true): MessageFact {
  const [rich] = run.snapshot.workspaces;
  const isPlain = (row: MessageFact) => row.workspace_id === rich?.id && row.erased_at === null && !isInChain(run, row);
  const isSingle = (row: MessageFact) => row.batch_id === null && isPlain(row);
  return first(run.snapshot.messages, (row) => isSingle(row) && fits(row));
}

const isInChain = ({ snapshot }: Draft, { id }: MessageFact) =>
  snapshot.fallbacks.some(({ message_id, next_id }) => message_id === id || next_id === id);

/** The calls of a message that carriers saw. */
export const callsOf = (run: Draft, row: MessageFact) => recordsOf(run, 'carrier').filter((record) => wordOf(record) === wordOf(row));

export const eventsOf = ({ snapshot }: Draft, row: MessageFact, type?: string): EventFact[] =>
  snapshot.events.filter((event) => event.message_id === row.id && (type === undefined || event.type === type));

/** The delivery and arrivals of an event at one webhook. */
export function deliveryOf(run: Draft, event: EventFact, webhook: string): { delivery: DeliveryFact; arrivals: RecordOf<'event'>[] } {
  const delivery = first(run.snapshot.deliveries, ({ event_id, webhook_id }) => event_id === event.id && webhook_id === webhook);
  return { delivery, arrivals: recordsOf(run, 'event').filter((record) => record.id === event.id && record.webhook === webhook) };
}

/** Removes events completely: row, deliveries and arrivals. */
export function dropEvents(run: Draft, events: readonly EventFact[]): void {
  const ids = new Set(events.map(({ id }) => id));
  drop(run.snapshot.events, ({ id }) => ids.has(id));
  drop(run.snapshot.deliveries, ({ event_id }) => ids.has(event_id));
  drop(run.history, (record) => record.type === 'event' && ids.has(record.id));
}

/** Removes all hand-offs and reports of a message. */
export function dropHandoffs(run: Draft, row: MessageFact): void {
  const calls = callsOf(run, row);
  const ids = new Set(calls.flatMap(({ providerId }) => providerId ?? []));
  const reports = new Set(recordsOf(run, 'report').filter(({ providerId }) => ids.has(providerId)));
  const numbers = new Set([...reports].map(({ report }) => report));
  drop(run.history, (record) => record.type === 'carrier' && calls.includes(record));
  drop(run.history, (record) => (record.type === 'report' || record.type === 'report-answer') && numbers.has(record.report));
  drop(run.snapshot.inbox, ({ provider_message_id }) => ids.has(provider_message_id));
  drop(run.snapshot.attempts, ({ message_id }) => message_id === row.id);
}

/** Removes a message, as if it had never been accepted. */
export function forget(run: Draft, row: MessageFact): void {
  dropHandoffs(run, row);
  dropEvents(run, eventsOf(run, row));
  drop(run.snapshot.messages, ({ id }) => id === row.id);
  drop(run.snapshot.entries, ({ reference }) => reference === row.id);
  refold(run, row.workspace_id);
  for (const workspace of run.snapshot.workspaces) if (workspace.id === row.workspace_id) workspace.message_count -= 1;
}

/** Numbers the entries of a workspace again, in their order, and computes the balances from the amounts. */
export function refold({ snapshot }: Draft, workspaceId: string): void {
  const workspace = first(snapshot.workspaces, ({ id }) => id === workspaceId);
  workspace.balance = workspace.opening_balance;
  workspace.entry_count = 0;
  for (const entry of snapshot.entries) {
    if (entry.workspace_id !== workspaceId) continue;
    workspace.balance += entry.amount;
    workspace.entry_count += 1;
    Object.assign(entry, { number: workspace.entry_count, balance_after: workspace.balance });
  }
}

export const entryOf = ({ snapshot }: Draft, kind: EntryFact['kind'], reference: string): EntryFact =>
  first(snapshot.entries, (entry) => entry.kind === kind && entry.reference === reference);

/** Inserts an entry after another one. */
export function addEntry(run: Draft, behind: EntryFact, changes: Partial<EntryFact>): void {
  run.snapshot.entries.splice(run.snapshot.entries.indexOf(behind) + 1, 0, { ...behind, ...changes });
  refold(run, behind.workspace_id);
}

/** Gives a message another call to a carrier, with its attempt. */
export function addCall(
  run: Draft,
  row: MessageFact,
  at: number,
  did: RecordOf<'carrier'>['did'][],
  providerId: string | null = null,
): void {
  const number = run.snapshot.attempts.filter(({ message_id }) => message_id === row.id).length + 1;
  run.snapshot.attempts.push({ message_id: row.id, number, provider: 'twilio', outcome: 'accepted', started_at: at - 5 });
  const { channel, to } = row;
  const base = {
    type: 'carrier' as const,
    handoff: 900_000 + run.history.length,
    carrier: 'twilio',
    account: 'twilio',
    channel,
    token: row.token ?? '',
    to,
  };
  for (const [index, each] of did.entries())
    run.history.push({ ...base, did: each, providerId: each === 'took' ? providerId : null, at: at + index });
  sort(run);
}

/** Changes the body of an event in all places. */
export function rewrite(run: Draft, event: EventFact, change: (data: Record<string, unknown>) => void): void {
  const body = JSON.parse(event.body ?? '{}') as { data: Record<string, unknown> };
  change(body.data);
  event.body = JSON.stringify(body);
  for (const record of recordsOf(run, 'event')) if (record.id === event.id) record.body = event.body;
}

/** The first answer of this status to such a call, with the target of the call. @param targets the call is about one of these; default: any */
export const answerTo = (run: Draft, operation: string, status: number, targets?: ReadonlySet<string>) => {
  const fits = ({ target = '', ...call }: RecordOf<'call'>) => call.operation === operation && targets?.has(target) !== false;
  const calls = new Map(
    recordsOf(run, 'call')
      .filter(fits)
      .map((call) => [call.call, call]),
  );
  const answer = first(recordsOf(run, 'answer'), (each) => calls.has(each.call) && each.status === status);
  return { answer, target: calls.get(answer.call)?.target ?? '' };
};
