/** Batches whose counts, status or messages are wrong. */
import { answerTo, drop, dropEvents, eventsOf, first, type Mutant, recordsOf, refold } from './edit.js';

export const batchMutants: Mutant[] = [
  {
    name: 'a batch is shown as sending after all its messages have ended',
    rule: 'batch-adds-up',
    plant: (run) => {
      const looks = recordsOf(run, 'answer').filter(({ data }) => data?.counts !== undefined);
      Object.assign(first(looks, ({ data }) => data?.status === 'completed').data ?? {}, { status: 'sending' });
    },
  },
  {
    name: 'a batch is completed while one of its messages is queued',
    rule: 'batch-adds-up',
    plant: (run) => {
      const batch = first(run.snapshot.batches, ({ status }) => status === 'completed');
      Object.assign(
        first(run.snapshot.messages, ({ batch_id }) => batch_id === batch.id),
        { status: 'queued' },
      );
    },
  },
  {
    name: 'a batch claims one message too many',
    rule: 'batch-adds-up',
    plant: (run) => void (first(run.snapshot.batches, () => true).accepted += 1),
  },
  {
    name: 'the counts of a batch do not add up in one answer',
    rule: 'batch-adds-up',
    plant: (run) => {
      const { answer } = answerTo(run, 'get-batch', 200);
      answer.data = { ...answer.data, counts: { queued: 1 } };
    },
  },
  {
    name: 'a batch is completed although the cancel was confirmed',
    rule: 'cancel-is-true',
    plant: (run) => {
      const { target } = answerTo(run, 'cancel-batch', 200);
      Object.assign(
        first(run.snapshot.batches, ({ id }) => id === target),
        { status: 'completed' },
      );
    },
  },
  {
    name: 'a message of a paused batch does not expire',
    rule: 'accepted-ends',
    plant: (run) => {
      const row = first(run.snapshot.messages, ({ batch_id, error_code }) => batch_id !== null && error_code === 'expired');
      const batch = first(run.snapshot.batches, ({ id }) => id === row.batch_id);
      Object.assign(batch, { status: 'paused', completed_at: null });
      Object.assign(row, { status: 'queued', error_code: null, credits_used: row.cost, failed_at: null });
      drop(run.snapshot.entries, ({ kind, reference }) => kind === 'refund' && reference === row.id);
      refold(run, row.workspace_id);
      dropEvents(run, eventsOf(run, row, 'message.failed'));
    },
  },
];
