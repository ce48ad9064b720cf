/**
 * Every credit has an explanation: the ledger adds up to the balances, and each entry has its cause (docs/contract/messages.md, batches.md,
 * billing.md).
 */
import { groupBy } from '../../../models/rules/values/group-by.js';
import { type Evidence } from './evidence.js';
import type { BatchFact, EntryFact, MessageFact, Snapshot } from './snapshot.js';
import { type Found, found, type Rule } from './rule.js';

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);

/** The price of a single message, in thousandths of a credit. Source: docs/contract/messages.md, Credit costs. */
export function priceOf(channel: string, { length }: Pick<MessageFact, 'to' | 'length'>): number {
  if (channel === 'email') return 100;
  return channel === 'whatsapp' ? 500 : Math.max(1, Math.ceil(length / 160)) * 1000;
}

/**
 * Numbers run from 1 without gaps, each `balance_after` is the sum so far, and the balance is the last one. Source:
 * docs/decisions/0004-credits.md.
 */
const ledgerFolds: Rule = {
  name: 'ledger-folds',
  promise: 'The ledger entries of each workspace are numbered without a gap and add up, entry by entry, to its balance.',
  check: ({ snapshot }) => {
    const entriesOf = groupBy(snapshot.entries, ({ workspace_id }) => workspace_id);
    return snapshot.workspaces.flatMap((workspace): Found[] => {
      const entries = (entriesOf.get(workspace.id) ?? []).filter(({ number }) => number !== null).toSorted(byNumber);
      let balance = workspace.opening_balance;
      for (const [index, entry] of entries.entries()) {
        balance += entry.amount;
        if (entry.number !== index + 1) return [found(`Entry ${index + 1} is missing, or there twice`, workspace.id, entry.number)];
        if (entry.balance_after !== balance || balance < 0)
          return [found(`Entry ${entry.number} tells a balance of ${entry.balance_after}, the ledger folds to ${balance}`, workspace.id)];
      }
      const isWhole = workspace.balance === balance && workspace.entry_count === entries.length;
      return isWhole ? [] : [found(`The balance is ${workspace.balance}, the ledger folds to ${balance}`, workspace.id)];
    });
  },
};

const byNumber = (one: EntryFact, other: EntryFact) => (one.number ?? 0) - (other.number ?? 0);

/**
 * One debit for each accepted message or batch, with its cost, and no other debit. The reference of a message is its id; a batch is debited
 * once for all its messages. Source: docs/contract/billing.md.
 */
const debitsMatch: Rule = {
  name: 'debits-match',
  promise: 'Each accepted message, and each batch as a whole, was debited its cost once; there is no other debit.',
  check: ({ snapshot, takenOver }) => {
    const debits = groupBy(
      snapshot.entries.filter(({ kind }) => kind === 'debit'),
      ({ reference }) => reference,
    );
    const payers: { id: string; cost: number; workspace_id: string }[] = [
      ...snapshot.messages
        .filter(({ batch_id }) => batch_id === null)
        .map((row) => ({ ...row, cost: row.cost - (takenOver.get(row.id) ?? 0) }))
        .filter(({ cost }) => cost > 0),
      ...snapshot.batches,
    ];
    const ids = new Set(payers.map(({ id }) => id));
    const wrong = payers.filter(({ id, cost, workspace_id }) => {
      const [debit, ...more] = debits.get(id) ?? [];
      return more.length > 0 || debit?.amount !== -cost || debit.workspace_id !== workspace_id;
    });
    return [
      ...wrong.map(({ id, cost }) => found(`Not debited once with ${cost}`, id)),
      ...[...debits.keys()].filter((id) => !ids.has(id)).map((id) => found('A debit pays for nothing', id)),
    ];
  },
};

/** The reference of a refund for a page of a cancelled batch. The id of one of its messages follows. */
const ofPage = 'cancel:';

/**
 * One refund for each message that cost nothing in the end, and no other refund: by its own id, or together with other messages of its
 * cancelled batch. What a later step of its chain took over is not refunded. Source: docs/contract/messages.md, Statuses; batches.md, A batch;
 * docs/decisions/0008-fallback.md.
 */
const refundsMatch: Rule = {
  name: 'refunds-match',
  promise:
    'Each message that failed before hand-off was refunded once, less what a later step of its chain took over; there is no other refund.',
  check: ({ snapshot, message, givenOver }) => {
    const refunds = snapshot.entries.filter(({ kind }) => kind === 'refund');
    const own = new Map(refunds.map((entry) => [entry.reference, entry]));
    const owed = ({ id, cost }: MessageFact) => cost - (givenOver.get(id) ?? 0);
    const isFree = (row: MessageFact) => row.credits_used === 0 && owed(row) > 0;
    const isByPage = (row: MessageFact) => row.batch_id !== null && !own.has(row.id);
    const unpaid = snapshot.messages.filter((row) => row.batch_id === null && isFree(row) !== own.has(row.id));
    const amiss = refunds.filter((entry) => {
      const row = message.get(entry.reference.replace(ofPage, ''));
      if (row === undefined || row.workspace_id !== entry.workspace_id) return true;
      return !entry.reference.startsWith(ofPage) && (entry.amount !== owed(row) || !isFree(row));
    });
    const strayed = snapshot.transfers.filter(
      ({ from_id, to_id }) => message.get(from_id)?.credits_used !== 0 || !laterSteps(snapshot, from_id).includes(to_id),
    );
    return [
      ...strayed.map(({ from_id, to_id }) => found('A charge was taken over that is no refund of an earlier step', from_id, to_id)),
      ...unpaid.map((row) =>
        found(`A message that costs ${row.credits_used} of ${row.cost} has ${own.has(row.id) ? 'a' : 'no'} refund`, row.id),
      ),
      ...amiss.map((entry) => found(`A refund of ${entry.amount} has no such message`, entry.reference)),
      ...snapshot.batches.flatMap((batch) =>
        pageRefunds(
          batch,
          snapshot.messages.filter((row) => isByPage(row) && isFree(row)),
          refunds,
          message,
        ),
      ),
    ];
  },
};

function laterSteps(snapshot: Snapshot, id: string): string[] {
  const next = snapshot.fallbacks.find(({ message_id }) => message_id === id)?.next_id ?? null;
  return next === null ? [] : [next, ...laterSteps(snapshot, next)];
}

function pageRefunds(batch: BatchFact, free: MessageFact[], refunds: EntryFact[], message: Evidence['message']): Found[] {
  const owed = sum(free.filter(({ batch_id }) => batch_id === batch.id).map(({ cost }) => cost));
  const pages = refunds.filter(({ reference }) => reference.startsWith(ofPage));
  const paid = sum(
    pages.filter(({ reference }) => message.get(reference.slice(ofPage.length))?.batch_id === batch.id).map(({ amount }) => amount),
  );
  return owed === paid ? [] : [found(`A batch got back ${paid} for messages worth ${owed}`, batch.id)];
}

/**
 * `credits_used` is the cost if a message was handed off or may still be, and 0 if it failed before. A message whose failure was corrected
 * by a late report stays refunded. Source: docs/contract/messages.md, Credit costs.
 */
const creditsUsed: Rule = {
  name: 'credits-used',
  promise: 'A message that was handed off costs its price; one that failed before that costs nothing.',
  check: ({ snapshot }) =>
    snapshot.messages
      .filter(({ status }) => status !== 'accepting')
      .filter((row) => row.credits_used !== (row.sent_at !== null || row.status === 'queued' ? row.cost : 0))
      .map((row) => found(`A message that is ${row.status} costs ${row.credits_used} of ${row.cost}`, row.id)),
};

/** Source: docs/contract/messages.md, Credit costs; docs/decisions/0008-fallback.md. */
const pricesAreRight: Rule = {
  name: 'prices-are-right',
  promise:
    'Each message costs what the price list says; a fallback chain costs as much as the most expensive of its steps that were not refunded.',
  check: ({ snapshot, message }) => {
    const next = new Map(snapshot.fallbacks.map(({ message_id, next_id }) => [message_id, message.get(next_id ?? '')]));
    const steps = new Set(snapshot.fallbacks.map(({ next_id }) => next_id));
    const chainOf = (row: MessageFact | undefined): MessageFact[] => (row === undefined ? [] : [row, ...chainOf(next.get(row.id))]);
    return snapshot.messages.flatMap((row) => {
      const price = priceOf(row.channel, row);
      if (steps.has(row.id)) return [];
      if (row.cost !== price) return [found(`A message costs ${row.cost}, by the price list ${price}`, row.id, row.token)];
      const chain = chainOf(row);
      if (chain.length === 1) return [];
      const charged = sum(chain.map(({ credits_used }) => credits_used));
      const kept = chain.filter(({ sent_at, status }) => sent_at !== null || status === 'queued');
      const dearest = Math.max(0, ...kept.map((each) => priceOf(each.channel, each)));
      return charged === dearest ? [] : [found(`A chain costs ${charged}, its dearest step ${dearest}`, row.id, row.token)];
    });
  },
};

/** Source: docs/decisions/0004-credits.md. */
const messagesAreCounted: Rule = {
  name: 'messages-are-counted',
  promise: 'The message counter of each workspace equals the number of its messages.',
  check: ({ snapshot }) => {
    const rows = groupBy(
      snapshot.messages.filter(({ status }) => status !== 'accepting'),
      ({ workspace_id }) => workspace_id,
    );
    return snapshot.workspaces
      .filter(({ id, message_count }) => message_count !== (rows.get(id)?.length ?? 0))
      .map(({ id, message_count }) => found(`A workspace counts ${message_count} messages and has ${rows.get(id)?.length ?? 0}`, id));
  },
};

export const moneyRules = [ledgerFolds, debitsMatch, refundsMatch, creditsUsed, pricesAreRight, messagesAreCounted];
