/** Credits that are lost, created, charged twice or not refunded. */
import { addEntry, drop, entryOf, eventsOf, first, message, type Draft, Missing, type Mutant, refold, rewrite } from './edit.js';
import { priceOf } from '../money.js';
import type { EntryFact, MessageFact } from '../snapshot.js';

export const rich = ({ snapshot }: Draft) => first(snapshot.workspaces, () => true);
const paid = (row: MessageFact) => row.status === 'delivered' && row.sent_at !== null;
const debitOf = (run: Draft, row: MessageFact) => entryOf(run, 'debit', row.id);
export const refunded = (row: MessageFact) => row.status === 'failed' && row.credits_used === 0;

/** The entries of the workspace that never runs out of credits. */
export const entriesOf = (run: Draft) => run.snapshot.entries.filter(({ workspace_id }) => workspace_id === rich(run).id);

/** Changes the cost of a message, with all its consequences. */
function reprice(run: Draft, row: MessageFact, cost: number): void {
  debitOf(run, row).amount = -cost;
  Object.assign(row, { cost, credits_used: cost });
  for (const event of [...eventsOf(run, row, 'message.queued'), ...eventsOf(run, row, 'message.sent')])
    rewrite(run, event, (data) => (data.credits_used = cost / 1000));
  refold(run, row.workspace_id);
}

/** An entry in the middle of a ledger. */
function middle(run: Draft): EntryFact {
  const entries = entriesOf(run);
  const entry = entries[Math.floor(entries.length / 2)];
  if (entry === undefined) throw new Missing();
  return entry;
}

export const moneyMutants: Mutant[] = [
  { name: 'an entry has a wrong balance', rule: 'ledger-folds', plant: (run) => void (middle(run).balance_after += 100) },
  { name: 'a balance differs from its ledger', rule: 'ledger-folds', plant: (run) => void (rich(run).balance += 500) },
  {
    name: 'a number of the ledger is skipped',
    rule: 'ledger-folds',
    plant: (run) => {
      const from = middle(run).number ?? 0;
      for (const entry of entriesOf(run)) if ((entry.number ?? 0) >= from) entry.number = (entry.number ?? 0) + 1;
      rich(run).entry_count += 1;
    },
  },
  { name: 'two entries have the same number', rule: 'ledger-folds', plant: (run) => void ((middle(run).number as number) -= 1) },
  {
    name: 'a message is not debited',
    rule: 'debits-match',
    plant: (run) => {
      const debit = debitOf(run, message(run, paid));
      drop(run.snapshot.entries, (entry) => entry === debit);
      refold(run, debit.workspace_id);
    },
  },
  {
    name: 'a message is debited twice',
    rule: 'debits-match',
    plant: (run) => {
      const debit = debitOf(run, message(run, paid));
      addEntry(run, debit, {});
    },
  },
  {
    name: 'a batch is debited for one message too many',
    rule: 'debits-match',
    plant: (run) => {
      const debit = entryOf(run, 'debit', first(run.snapshot.batches, () => true).id);
      debit.amount -= 1000;
      refold(run, debit.workspace_id);
    },
  },
  {
    name: 'a debit pays for a message that does not exist',
    rule: 'debits-match',
    plant: (run) => addEntry(run, debitOf(run, message(run, paid)), { reference: 'message-of-nobody' }),
  },
  {
    name: 'a refund is missing',
    rule: 'refunds-match',
    plant: (run) => {
      const row = message(run, refunded);
      drop(run.snapshot.entries, ({ kind, reference }) => kind === 'refund' && reference === row.id);
      refold(run, row.workspace_id);
    },
  },
  {
    name: 'a message that expired in a paused batch is not refunded',
    rule: 'refunds-match',
    plant: (run) => {
      const row = first(run.snapshot.messages, ({ batch_id, error_code }) => batch_id !== null && error_code === 'expired');
      drop(run.snapshot.entries, ({ kind, reference }) => kind === 'refund' && reference === row.id);
      refold(run, row.workspace_id);
    },
  },
  {
    name: 'a message is refunded a second time, as part of a page',
    rule: 'refunds-match',
    plant: (run) => {
      const page = first(run.snapshot.entries, ({ reference }) => reference.startsWith('cancel:'));
      const batch = run.snapshot.messages.find(({ id }) => `cancel:${id}` === page.reference)?.batch_id;
      const other = first(
        run.snapshot.messages,
        ({ batch_id, id, error_code }) => batch_id === batch && error_code === 'cancelled' && `cancel:${id}` !== page.reference,
      );
      addEntry(run, page, { reference: `cancel:${other.id}`, amount: other.cost });
    },
  },
  {
    name: 'the refund of a page of a cancelled batch is too small',
    rule: 'refunds-match',
    plant: (run) => {
      const page = first(run.snapshot.entries, ({ reference }) => reference.startsWith('cancel:'));
      page.amount -= 1000;
      refold(run, page.workspace_id);
    },
  },
  {
    name: 'a delivered message is refunded',
    rule: 'refunds-match',
    plant: (run) => {
      const row = message(run, paid);
      addEntry(run, debitOf(run, row), { kind: 'refund', amount: row.cost });
    },
  },
  {
    name: 'a failure after hand-off is refunded, and costs nothing',
    rule: 'credits-used',
    plant: (run) => {
      const row = message(run, ({ status, sent_at }) => status === 'failed' && sent_at !== null);
      addEntry(run, debitOf(run, row), { kind: 'refund', amount: row.cost, created_at: row.failed_at ?? 0 });
      row.credits_used = 0;
    },
  },
  {
    name: 'a cancelled message keeps its price',
    rule: 'credits-used',
    plant: (run) => {
      const row = message(run, ({ error_code }) => error_code === 'cancelled');
      row.credits_used = row.cost;
      drop(run.snapshot.entries, ({ kind, reference }) => kind === 'refund' && reference === row.id);
      refold(run, row.workspace_id);
    },
  },
  {
    name: 'a long sms is charged as one segment',
    rule: 'prices-are-right',
    plant: (run) =>
      reprice(
        run,
        message(run, (row) => paid(row) && row.channel === 'sms' && row.length > 160),
        1000,
      ),
  },
  {
    name: 'a whatsapp message is charged as an sms',
    rule: 'prices-are-right',
    plant: (run) =>
      reprice(
        run,
        message(run, (row) => row.status === 'sent' && row.channel === 'whatsapp'),
        1000,
      ),
  },
  {
    name: 'a fallback chain costs the sum of its steps',
    rule: 'prices-are-right',
    plant: (run) => {
      const { messages, fallbacks } = run.snapshot;
      const rowOf = (id: string | null) => first(messages, (row) => row.id === id);
      const isCharged = (id: string) => rowOf(id).credits_used > 0;
      const chain = first(
        fallbacks,
        ({ message_id, next_id }) =>
          next_id !== null && isCharged(message_id) && rowOf(next_id).cost > 0 && rowOf(next_id).credits_used > 0,
      );
      const step = rowOf(chain.next_id);
      reprice(run, step, priceOf(step.channel, step));
    },
  },
  {
    name: 'a workspace counts a message that was refused',
    rule: 'messages-are-counted',
    plant: (run) => void (rich(run).message_count += 1),
  },
];
