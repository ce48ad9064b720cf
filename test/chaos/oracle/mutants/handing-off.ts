/** Calls to carriers that must not happen. */
import { addCall, addEntry, callsOf, drop, entryOf, eventsOf, first, message, type Draft, type Mutant, recordsOf } from './edit.js';
import type { MessageFact } from '../snapshot.js';

export const did = (run: Draft, row: MessageFact, what: string) => callsOf(run, row).find((record) => record.did === what);
export const at = (run: Draft, row: MessageFact, what: string) => did(run, row, what)?.at ?? 0;
export const takes = (run: Draft, row: MessageFact) => callsOf(run, row).filter((record) => record.did === 'took').length;
export const requestFor = (run: Draft, row: MessageFact) =>
  recordsOf(run, 'call').filter(({ items }) => items?.some(({ token }) => token === row.token));
export const plain = (run: Draft, row: MessageFact) =>
  takes(run, row) === 1 && did(run, row, 'lost') === undefined && row.status === 'delivered';

export const delivered = (run: Draft) => message(run, (row) => plain(run, row) && eventsOf(run, row, 'message.failed').length === 0);
export const failedAs = (run: Draft, code: string, fits: (row: MessageFact) => boolean = () => true) =>
  message(run, (row) => row.status === 'failed' && row.error_code === code && fits(row));

export const handoffMutants: Mutant[] = [
  {
    name: 'a message is handed off a second time, after it was taken',
    rule: 'taken-once',
    plant: (run) => {
      const row = message(run, (each) => plain(run, each));
      addCall(run, row, at(run, row, 'answered') + 20_000, ['received', 'took', 'answered'], 'SM-second');
    },
  },
  {
    name: 'a message whose answer was lost is handed off again without a query',
    rule: 'taken-once',
    plant: (run) => {
      const row = message(run, (each) => callsOf(run, each).some((record) => record.did === 'asked'));
      drop(run.history, (record) => record.type === 'carrier' && record.token === row.token && record.did === 'asked');
    },
  },
  {
    name: 'a second account takes the message too',
    rule: 'taken-once',
    plant: (run) => {
      const row = message(run, (each) => plain(run, each));
      addCall(run, row, at(run, row, 'answered') + 11_000, ['received', 'took', 'answered'], 'SM-second');
      const added = first(recordsOf(run, 'carrier'), ({ providerId }) => providerId === 'SM-second');
      for (const record of recordsOf(run, 'carrier')) if (record.handoff === added.handoff) record.account = 'backup';
      for (const attempt of run.snapshot.attempts.filter(({ message_id }) => message_id === row.id).slice(-1)) attempt.provider = 'backup';
    },
  },
  {
    name: 'a second call begins during the first',
    rule: 'one-call-at-a-time',
    plant: (run) => {
      const row = message(run, (each) => plain(run, each) && at(run, each, 'answered') - at(run, each, 'received') > 200);
      addCall(run, row, at(run, row, 'received') + 50, ['received', 'busy', 'answered']);
    },
  },
  {
    name: 'a carrier is called without an attempt',
    rule: 'attempt-before-call',
    plant: (run) => {
      const { id } = message(run, (row) => plain(run, row));
      drop(run.snapshot.attempts, ({ message_id }) => message_id === id);
    },
  },
  {
    name: 'a call begins long after its claim',
    rule: 'attempt-before-call',
    plant: (run) => {
      const { id } = message(run, (row) => plain(run, row));
      for (const attempt of run.snapshot.attempts) if (attempt.message_id === id) attempt.started_at -= 13_000;
    },
  },
  {
    name: 'a scheduled message is sent at once',
    rule: 'in-its-time',
    plant: (run) => {
      const row = message(run, (each) => each.scheduled_at !== null && takes(run, each) > 0);
      for (const call of requestFor(run, row)) call.scheduledAt = at(run, row, 'received') + 5_000;
    },
  },
  {
    name: 'an expired message is sent',
    rule: 'in-its-time',
    plant: (run) => {
      const row = message(run, (each) => plain(run, each));
      for (const call of requestFor(run, row)) call.expiresAt = at(run, row, 'received') - 15_000;
    },
  },
  {
    name: 'a message is sent although no carrier took it',
    rule: 'sent-is-taken',
    plant: (run) => {
      const row = message(run, (each) => each.status === 'sent' && takes(run, each) === 1);
      drop(run.history, (record) => record.type === 'carrier' && record.token === row.token);
    },
  },
  {
    name: 'a refused message becomes sent, and is debited again',
    rule: 'sent-is-taken',
    plant: (run) => {
      const row = failedAs(run, '30008');
      Object.assign(row, { status: 'sent', error_code: null, credits_used: row.cost });
      addEntry(run, entryOf(run, 'refund', row.id), { kind: 'adjustment', amount: -row.cost, reference: `again:${row.id}` });
    },
  },
];
