/** Calls to carriers that should not be, and messages that end otherwise than their carriers said. */
import {
  addCall,
  addEntry,
  callsOf,
  drop,
  dropEvents,
  entryOf,
  eventsOf,
  first,
  message,
  type Draft,
  type Mutant,
  recordsOf,
  sort,
} from './edit.js';
import type { MessageFact } from '../snapshot.js';

const did = (run: Draft, row: MessageFact, what: string) => callsOf(run, row).find((record) => record.did === what);
const at = (run: Draft, row: MessageFact, what: string) => did(run, row, what)?.at ?? 0;
const takes = (run: Draft, row: MessageFact) => callsOf(run, row).filter((record) => record.did === 'took').length;
const requestFor = (run: Draft, row: MessageFact) =>
  recordsOf(run, 'call').filter(({ items }) => items?.some(({ token }) => token === row.token));
const plain = (run: Draft, row: MessageFact) => takes(run, row) === 1 && did(run, row, 'lost') === undefined && row.status === 'delivered';

/** A genuine report that was accepted, and is in the inbox. */
function addReport(run: Draft, row: MessageFact, status: 'sent' | 'delivered' | 'failed' | 'read', when: number, genuine = true): void {
  const providerId = did(run, row, 'took')?.providerId ?? '';
  const report = 900_000 + run.history.length;
  run.history.push({ type: 'report', report, carrier: 'twilio', account: 'twilio', providerId, status, genuine, at: when });
  run.history.push({ type: 'report-answer', report, status: genuine ? 204 : 401, at: when + 5 });
  run.snapshot.inbox.push({ provider: 'twilio', provider_message_id: providerId, status, message_id: row.id, applied_at: when });
  sort(run);
}

const reportsOn = (run: Draft, row: MessageFact) =>
  recordsOf(run, 'report').filter(({ providerId, genuine }) => genuine && providerId === row.provider_message_id);

/** The message stays as the hand-off left it. */
function undeliver(run: Draft, row: MessageFact): void {
  dropEvents(run, eventsOf(run, row, 'message.delivered'));
  Object.assign(row, { status: 'sent', delivered_at: null });
}

const delivered = (run: Draft) => message(run, (row) => plain(run, row) && eventsOf(run, row, 'message.failed').length === 0);
const failedAs = (run: Draft, code: string, fits: (row: MessageFact) => boolean = () => true) =>
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
    name: 'a message whose answer was lost is handed off again without asking',
    rule: 'taken-once',
    plant: (run) => {
      const row = message(run, (each) => callsOf(run, each).some((record) => record.did === 'asked'));
      drop(run.history, (record) => record.type === 'carrier' && record.token === row.token && record.did === 'asked');
    },
  },
  {
    name: 'another account takes it, too',
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
    name: 'a second call begins beside the first',
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
    name: 'a scheduled message goes out at once',
    rule: 'in-its-time',
    plant: (run) => {
      const row = message(run, (each) => each.scheduled_at !== null && takes(run, each) > 0);
      for (const call of requestFor(run, row)) call.scheduledAt = at(run, row, 'received') + 5_000;
    },
  },
  {
    name: 'an expired message goes out',
    rule: 'in-its-time',
    plant: (run) => {
      const row = message(run, (each) => plain(run, each));
      for (const call of requestFor(run, row)) call.expiresAt = at(run, row, 'received') - 15_000;
    },
  },
  {
    name: 'a message counts as sent that no carrier took',
    rule: 'sent-is-taken',
    plant: (run) => {
      const row = message(run, (each) => each.status === 'sent' && takes(run, each) === 1);
      drop(run.history, (record) => record.type === 'carrier' && record.token === row.token);
    },
  },
  { name: 'a report of delivery is not applied', rule: 'report-decides', plant: (run) => undeliver(run, delivered(run)) },
  {
    name: 'a late failure beats delivered',
    rule: 'report-decides',
    plant: (run) => {
      const row = message(run, (each) => plain(run, each) && reportsOn(run, each).some(({ status }) => status === 'failed'));
      dropEvents(run, eventsOf(run, row, 'message.delivered'));
      Object.assign(row, { status: 'failed', error_code: '30006', delivered_at: null });
    },
  },
  {
    name: 'an sms is read',
    rule: 'report-decides',
    plant: (run) => {
      const row = message(run, (each) => plain(run, each) && each.channel === 'sms');
      addReport(run, row, 'read', at(run, row, 'took') + 25_000);
      row.status = 'read';
    },
  },
  {
    name: 'a forged report of a failure is applied',
    rule: 'report-decides',
    plant: (run) => {
      const row = message(run, (each) => each.status === 'sent' && takes(run, each) === 1);
      Object.assign(row, { status: 'failed', error_code: '30006', failed_at: row.sent_at });
    },
  },
  {
    name: 'a taken message is given up although its report came in time',
    rule: 'taken-is-not-failed',
    plant: (run) => {
      const row = failedAs(run, 'handoff_unknown', (each) => takes(run, each) === 1);
      addReport(run, row, 'sent', at(run, row, 'took') + 30_000);
    },
  },
  {
    name: 'a taken message is given up at once, its report comes a minute later and corrects it',
    rule: 'taken-is-not-failed',
    plant: (run) => {
      const row = message(run, (each) => each.delivered_at !== null && each.sent_at === null);
      for (const report of reportsOn(run, row)) {
        const answer = first(recordsOf(run, 'report-answer'), (each) => each.report === report.report);
        Object.assign(report, { at: at(run, row, 'took') + 60_000 });
        Object.assign(answer, { at: at(run, row, 'took') + 60_010 });
      }
      sort(run);
    },
  },
  {
    name: 'an answer of a carrier is forgotten in a deploy',
    rule: 'lawful-failure',
    plant: (run) => {
      const row = failedAs(run, 'handoff_unknown', (each) => takes(run, each) === 1);
      for (const record of callsOf(run, row)) if (record.did === 'lost') record.did = 'answered';
    },
  },
  {
    name: 'a message fails as refused that no carrier refused',
    rule: 'lawful-failure',
    plant: (run) => {
      const row = failedAs(run, '30008');
      for (const record of callsOf(run, row)) if (record.did === 'refused') record.did = 'busy';
    },
  },
  {
    name: 'a message is cancelled that nobody cancelled',
    rule: 'lawful-failure',
    plant: (run) => {
      const { id } = failedAs(run, 'cancelled');
      const calls = new Set(recordsOf(run, 'call').flatMap(({ target, call }) => (target === id ? [call] : [])));
      drop(run.history, (record) => (record.type === 'call' || record.type === 'answer') && calls.has(record.call));
    },
  },
  {
    name: 'a message expires that had no end',
    rule: 'lawful-failure',
    plant: (run) => {
      for (const call of requestFor(run, failedAs(run, 'expired'))) delete call.expiresAt;
    },
  },
  {
    name: 'a carrier counts as away after a minute',
    rule: 'lawful-failure',
    plant: (run) => Object.assign(failedAs(run, '30008'), { error_code: 'provider_unavailable' }),
  },
  {
    name: 'a recipient is suppressed without a reason',
    rule: 'lawful-failure',
    plant: (run) => Object.assign(failedAs(run, 'expired'), { error_code: 'suppressed' }),
  },
  {
    name: 'an accepted report is lost',
    rule: 'report-is-kept',
    plant: (run) => drop(run.snapshot.inbox, (row) => row.status === 'sent'),
  },
  {
    name: 'a report is never worked off',
    rule: 'report-is-kept',
    plant: (run) =>
      Object.assign(
        first(run.snapshot.inbox, ({ status }) => status === 'sent'),
        { applied_at: null },
      ),
  },
  {
    name: 'a genuine report is refused as forged',
    rule: 'report-is-kept',
    plant: (run) => {
      const twice = first(recordsOf(run, 'report'), (one) =>
        recordsOf(run, 'report').some(
          (other) => other.report < one.report && other.providerId === one.providerId && other.status === one.status,
        ),
      );
      first(recordsOf(run, 'report-answer'), ({ report }) => report === twice.report).status = 401;
    },
  },
  {
    name: 'a forged report is kept',
    rule: 'forged-changes-nothing',
    plant: (run) => {
      const { providerId, at: when } = first(recordsOf(run, 'report'), ({ genuine }) => !genuine);
      const isGenuine = recordsOf(run, 'report').some((each) => each.genuine && each.providerId === providerId && each.status === 'sent');
      run.snapshot.inbox.push({
        provider: 'twilio',
        provider_message_id: isGenuine ? 'SM-unknown' : providerId,
        status: 'sent',
        message_id: null,
        applied_at: when,
      });
    },
  },
  {
    name: 'a forged report is accepted',
    rule: 'forged-changes-nothing',
    plant: (run) => {
      const { report } = first(recordsOf(run, 'report'), ({ genuine }) => !genuine);
      first(recordsOf(run, 'report-answer'), (answer) => answer.report === report).status = 204;
    },
  },
  {
    name: 'a message that was refused is called sent, and paid for again',
    rule: 'sent-is-taken',
    plant: (run) => {
      const row = failedAs(run, '30008');
      Object.assign(row, { status: 'sent', error_code: null, credits_used: row.cost });
      addEntry(run, entryOf(run, 'refund', row.id), { kind: 'adjustment', amount: -row.cost, reference: `again:${row.id}` });
    },
  },
];
