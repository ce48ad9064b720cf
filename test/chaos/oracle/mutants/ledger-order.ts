/** A ledger in an impossible order, and untrue refusals. */
import { addEntry, drop, first, type Draft, Missing, type Mutant, recordsOf, refold } from './edit.js';
import { priceOf } from '../money.js';
import type { EntryFact } from '../snapshot.js';
import { entriesOf, rich } from './money.js';

/** Two debits of single sends. The second was requested long after the first was answered. */
function farApart(run: Draft): [EntryFact, EntryFact] {
  const debits = entriesOf(run).filter(
    ({ kind, reference }) => kind === 'debit' && run.snapshot.messages.some(({ id, batch_id }) => id === reference && batch_id === null),
  );
  const [early] = debits;
  const late = debits.at(-1);
  if (early === undefined || late === undefined || late.created_at - early.created_at < 10_000) throw new Missing();
  return [early, late];
}

function refuse(run: Draft, text: (price: number, balance: number) => string): void {
  const workspace = rich(run).id;
  const item = { to: '+15551234567', token: 'tkrefused', length: 20 };
  const price = priceOf('sms', item);
  const at = run.history.at(-1)?.at ?? 0;
  const call = { type: 'call' as const, operation: 'send' as const, channel: 'sms' as const, workspace, key: 'key-refused', call: 999_999 };
  run.history.push({ ...call, items: [item], at: at + 1 });
  const error = text(price / 1000, (rich(run).balance ?? 0) / 1000);
  run.history.push({
    type: 'answer',
    call: 999_999,
    status: 402,
    replayed: false,
    code: 'insufficient_credits',
    error,
    id: null,
    data: null,
    at: at + 5,
  });
}

const wording = (needed: number, had: number) => `Insufficient credits. You need ${needed} credits but have ${had}.`;

export const ledgerOrderMutants: Mutant[] = [
  {
    name: 'a debit is posted long after its message was answered',
    rule: 'ledger-order',
    plant: (run) => {
      const [early, late] = farApart(run);
      drop(run.snapshot.entries, (entry) => entry === early);
      addEntry(run, late, early);
    },
  },
  {
    name: 'a later send is before an earlier one in the ledger',
    rule: 'ledger-order',
    plant: (run) => {
      const [early, late] = farApart(run);
      drop(run.snapshot.entries, (entry) => entry === late);
      const { entries } = run.snapshot;
      entries.splice(entries.indexOf(early), 0, late);
      refold(run, early.workspace_id);
    },
  },
  { name: 'a send is refused although the balance is sufficient', rule: 'refused-for-want', plant: (run) => refuse(run, wording) },
  {
    name: 'a batch is refused although the balance is sufficient all the time',
    rule: 'refused-for-want',
    plant: (run) => {
      refuse(run, (price, balance) => wording(price * 5, balance));
      const call = first(recordsOf(run, 'call'), (each) => each.call === 999_999);
      call.operation = 'bulk';
      call.items = Array.from({ length: 5 }, (_, index) => ({ to: `+1555123456${index}`, token: `tkrefused${index}`, length: 20 }));
    },
  },
  {
    name: 'a refusal names a balance that never existed',
    rule: 'refusal-is-true',
    plant: (run) => {
      const answer = first(recordsOf(run, 'answer'), ({ status }) => status === 402);
      answer.error = (answer.error ?? '').replace(/have [\d.]+\./, 'have 0.0005.');
    },
  },
  {
    name: 'a refusal names another price',
    rule: 'refusal-is-true',
    plant: (run) => {
      const answer = first(recordsOf(run, 'answer'), ({ status }) => status === 402);
      answer.error = (answer.error ?? '').replace(/need [\d.]+ /, 'need 77 ');
    },
  },
];
