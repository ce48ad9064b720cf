/** Cancels, pauses, fallbacks and processes that do not behave as answered. */
import { addCall, answerTo, callsOf, drop, eventsOf, first, message, type Draft, type Mutant, recordsOf, sort } from './edit.js';

const dropCall = (run: Draft, call: number) =>
  drop(run.history, (record) => (record.type === 'call' || record.type === 'answer') && record.call === call);

export const promiseMutants: Mutant[] = [
  {
    name: 'a message is sent although the cancel was confirmed',
    rule: 'cancel-is-true',
    plant: (run) => Object.assign(answerTo(run, 'cancel', 409).answer, { status: 200 }),
  },
  {
    name: 'a message is cancelled although the answer was too late',
    rule: 'cancel-is-true',
    plant: (run) => {
      const singles = new Set(run.snapshot.messages.flatMap(({ id, batch_id }) => (batch_id === null ? [id] : [])));
      Object.assign(answerTo(run, 'cancel', 200, singles).answer, { status: 409 });
    },
  },
  {
    name: 'a paused batch continues',
    rule: 'pause-holds',
    plant: (run) => dropCall(run, answerTo(run, 'resume', 200).answer.call),
  },
  {
    name: 'calls of a paused batch begin long after their claims',
    rule: 'pause-holds',
    plant: (run) => {
      const { answer, target } = answerTo(run, 'pause', 200);
      const early = first(run.snapshot.attempts, ({ message_id, started_at, outcome }) => {
        const row = run.snapshot.messages.find(({ id }) => id === message_id);
        return row?.batch_id === target && started_at < answer.at && outcome === 'accepted' && callsOf(run, row).length === 3;
      });
      const row = first(run.snapshot.messages, ({ id }) => id === early.message_id);
      for (const [index, record] of callsOf(run, row).entries()) record.at = answer.at + 13_000 + index;
      sort(run);
    },
  },
  {
    name: 'a cancelled batch continues',
    rule: 'pause-holds',
    plant: (run) => {
      const { answer, target } = answerTo(run, 'cancel-batch', 200);
      addCall(
        run,
        first(run.snapshot.messages, ({ batch_id, error_code }) => batch_id === target && error_code === 'cancelled'),
        answer.at + 2_000,
        ['received', 'busy', 'answered'],
      );
    },
  },
  {
    name: 'a carrier is called for a message that was cancelled',
    rule: 'cancel-holds',
    plant: (run) => {
      const { answer, target } = answerTo(run, 'cancel', 200);
      addCall(
        run,
        first(run.snapshot.messages, ({ id }) => id === target),
        answer.at + 60_000,
        ['received', 'busy', 'answered'],
      );
    },
  },
  {
    name: 'a message is cancelled, refunded and sent',
    rule: 'cancel-holds',
    plant: (run) => {
      const { answer, target } = answerTo(run, 'cancel', 200);
      addCall(
        run,
        first(run.snapshot.messages, ({ id }) => id === target),
        answer.at + 100,
        ['received', 'took', 'answered'],
        'SM-cancelled',
      );
    },
  },
  {
    name: 'a deploy ends with code 1',
    rule: 'exits-are-clean',
    plant: (run) =>
      Object.assign(
        first(recordsOf(run, 'exit'), ({ asked }) => asked === 'SIGTERM'),
        { code: 1 },
      ),
  },
  {
    name: 'a worker ends by itself',
    rule: 'exits-are-clean',
    plant: (run) =>
      Object.assign(
        first(recordsOf(run, 'exit'), ({ asked }) => asked === 'SIGKILL'),
        { asked: null },
      ),
  },
  {
    name: 'a step of a fallback begins before its time',
    rule: 'step-has-cause',
    plant: (run) => {
      const row = (id: string | null) => first(run.snapshot.messages, (each) => each.id === id);
      const chain = first(
        run.snapshot.fallbacks,
        ({ message_id }) => row(message_id).status !== 'failed' && eventsOf(run, row(message_id), 'message.failed').length === 0,
      );
      for (const call of recordsOf(run, 'call')) {
        if (call.items?.[0]?.token !== row(chain.next_id).token || call.fallback === undefined) continue;
        call.fallback = call.fallback.map((step) => ({ ...step, after: 3_000 }));
      }
    },
  },
  {
    name: 'the step after a cancelled message is sent',
    rule: 'step-has-cause',
    plant: (run) => {
      const chain = first(run.snapshot.fallbacks, ({ outcome }) => outcome === 'sent');
      chain.message_id = message(run, ({ error_code }) => error_code === 'cancelled').id;
    },
  },
];
