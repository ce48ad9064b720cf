/** Messages that end differently than their carriers reported, and reports that are lost or forged. */
import { callsOf, drop, dropEvents, eventsOf, first, message, type Draft, type Mutant, recordsOf, sort } from './edit.js';
import type { MessageFact } from '../snapshot.js';
import { at, delivered, did, failedAs, plain, requestFor, takes } from './handing-off.js';

/** A genuine report that was accepted and is in the inbox. */
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

/** The message stays as it was after the hand-off. */
function undeliver(run: Draft, row: MessageFact): void {
  dropEvents(run, eventsOf(run, row, 'message.delivered'));
  Object.assign(row, { status: 'sent', delivered_at: null });
}

export const outcomeMutants: Mutant[] = [
  { name: 'a delivery report is not applied', rule: 'report-decides', plant: (run) => undeliver(run, delivered(run)) },
  {
    name: 'a late failure replaces delivered',
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
    name: 'a taken message is given up at once, and its report corrects that a minute later',
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
    name: 'the answer of a carrier is lost in a deploy',
    rule: 'lawful-failure',
    plant: (run) => {
      const row = failedAs(run, 'handoff_unknown', (each) => takes(run, each) === 1);
      for (const record of callsOf(run, row)) if (record.did === 'lost') record.did = 'answered';
    },
  },
  {
    name: 'a message fails as refused although no carrier refused it',
    rule: 'lawful-failure',
    plant: (run) => {
      const row = failedAs(run, '30008');
      for (const record of callsOf(run, row)) if (record.did === 'refused') record.did = 'busy';
    },
  },
  {
    name: 'a message is cancelled although nobody cancelled it',
    rule: 'lawful-failure',
    plant: (run) => {
      const { id } = failedAs(run, 'cancelled');
      const calls = new Set(recordsOf(run, 'call').flatMap(({ target, call }) => (target === id ? [call] : [])));
      drop(run.history, (record) => (record.type === 'call' || record.type === 'answer') && calls.has(record.call));
    },
  },
  {
    name: 'a message without an expiry expires',
    rule: 'lawful-failure',
    plant: (run) => {
      for (const call of requestFor(run, failedAs(run, 'expired'))) delete call.expiresAt;
    },
  },
  {
    name: 'a message of a batch expires before its time',
    rule: 'lawful-failure',
    plant: (run) => {
      const row = first(run.snapshot.messages, ({ batch_id, error_code }) => batch_id !== null && error_code === 'expired');
      for (const call of requestFor(run, row)) call.expiresAt = (call.expiresAt ?? 0) + 60_000;
    },
  },
  {
    name: 'a carrier counts as unavailable after a minute',
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
    name: 'a report is never applied',
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
    name: 'a forged report is stored',
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
];
