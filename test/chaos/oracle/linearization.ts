/**
 * The ledger as a witness. Entries are numbered under the lock of their workspace's row, so the numbers are an order in which all movements
 * could have happened one after the other. That order must agree with the observations, in real time.
 */
import { groupBy } from '../../../models/rules/values/group-by.js';
import { type Call, type Evidence, wordOf } from './evidence.js';
import { priceOf } from './money.js';
import { clockMs, type Found, found, type Rule } from './rule.js';
import type { EntryFact } from './snapshot.js';

/** An entry, and the interval in which it must have taken effect. */
interface Movement {
  entry: EntryFact;
  /** The earliest time: when its request or its transaction began. */
  from: number;
  /** The latest time: when somebody outside saw a consequence. Infinity if nobody did. */
  to: number;
}

/** The movements of each workspace, in the order of their numbers. */
function movementsOf(evidence: Evidence): Map<string, Movement[]> {
  const numbered = evidence.snapshot.entries.filter(({ number }) => number !== null);
  const movements = numbered.toSorted((one, other) => (one.number ?? 0) - (other.number ?? 0)).map((entry) => movementOf(evidence, entry));
  return groupBy(movements, ({ entry }) => entry.workspace_id);
}

function movementOf(evidence: Evidence, entry: EntryFact): Movement {
  const from = entry.created_at - clockMs;
  if (entry.kind !== 'debit') return { entry, from, to: entry.kind === 'refund' ? refundSeenAt(evidence, entry.reference) : never };
  const begun = requestFor(evidence, entry.reference)?.calls[0]?.at ?? from;
  return { entry, from: Math.max(from, begun), to: debitSeenAt(evidence, entry.reference) };
}

const never = Number.POSITIVE_INFINITY;

function requestFor({ requests, message, requestOf }: Evidence, reference: string) {
  const row = message.get(reference);
  return row === undefined ? requests.find(({ accepted }) => accepted.includes(reference)) : requestOf.get(row.token ?? '');
}

/** The first consequence of a debit: an answer, a call to a carrier, or an event. */
function debitSeenAt(evidence: Evidence, reference: string): number {
  const { message, handoffsOf } = evidence;
  const row = message.get(reference);
  const answers = requestFor(evidence, reference)?.calls.filter(({ answer }) => answer?.status === 201 && answer.id === reference) ?? [];
  const seen = answers.map(({ answer }) => answer?.at ?? never);
  if (row !== undefined) seen.push(handoffsOf.get(wordOf(row))?.[0]?.receivedAt ?? never, toldAt(evidence, reference));
  return Math.min(never, ...seen);
}

/** The answer to the cancel, or the first event of the failure at a receiver. */
function refundSeenAt(evidence: Evidence, reference: string): number {
  const cancels =
    evidence.callsOn.get(reference)?.filter(({ operation, answer }) => operation === 'cancel' && answer?.status === 200) ?? [];
  return Math.min(toldAt(evidence, reference, 'message.failed'), ...cancels.map(({ answer }) => answer?.at ?? never));
}

function toldAt({ eventsOf, deliveriesOf, arrivalsOf }: Evidence, messageId: string, type?: string): number {
  const events = (eventsOf.get(messageId) ?? []).filter((event) => type === undefined || event.type === type);
  const arrivals = events.flatMap(({ id }) =>
    (deliveriesOf.get(id) ?? []).map(({ webhook_id }) => arrivalsOf.get(`${webhook_id} ${id}`)?.[0]?.at ?? never),
  );
  return Math.min(never, ...arrivals);
}

/** If a movement was seen before another could begin, it has the lower number. */
const ledgerOrder: Rule = {
  name: 'ledger-order',
  promise: 'The order of the ledger agrees with real time: an entry of a request that ended before another began has the lower number.',
  check: (evidence) =>
    [...movementsOf(evidence).values()].flatMap((movements) => {
      let earliest = Number.NEGATIVE_INFINITY;
      return movements.flatMap(({ entry, from, to }): Found[] => {
        const isLate = to < earliest;
        earliest = Math.max(earliest, from);
        return isLate
          ? [found(`Entry ${entry.number} was seen before one with a lower number could begin`, entry.workspace_id, entry.reference)]
          : [];
      });
    }),
};

/** A balance of a workspace, and the interval in which it may have been the balance. */
interface Balance {
  amount: number;
  from: number;
  to: number;
}

/** Every balance from the first to the last, each between the movement that caused it and the next. */
function balancesOf(movements: readonly Movement[], opening: number): Balance[] {
  const amounts = [opening];
  const froms = [Number.NEGATIVE_INFINITY];
  for (const { entry, from } of movements) {
    amounts.push((amounts.at(-1) ?? 0) + entry.amount);
    froms.push(Math.max(froms.at(-1) ?? from, from));
  }
  const balances: Balance[] = [];
  let to = never;
  for (let index = amounts.length - 1; index >= 0; index -= 1) {
    balances.unshift({ amount: amounts[index] ?? 0, from: froms[index] ?? 0, to });
    to = Math.min(to, movements[index - 1]?.to ?? never);
  }
  return balances;
}

/** Single and bulk sends that were refused because of too few credits, each with the possible balances of its workspace in that time. */
function refusals(evidence: Evidence): { call: Call; price: number; balances: Balance[] }[] {
  const movements = movementsOf(evidence);
  const refused = evidence.requests.flatMap(({ calls, channel, items }) =>
    calls
      .filter(({ answer }) => answer?.status === 402)
      .map((call) => ({ call, price: items.reduce((sum, item) => sum + priceOf(channel, item), 0) })),
  );
  const all = new Map(
    evidence.snapshot.workspaces.map(({ id, opening_balance }) => [id, balancesOf(movements.get(id) ?? [], opening_balance)]),
  );
  return refused.map(({ call, price }) => {
    const during = (all.get(call.workspace) ?? []).filter(({ from, to }) => from <= (call.answer?.at ?? never) && to >= call.at);
    return { call, price, balances: during };
  });
}

/** For a 402, there must be a moment between request and answer at which the balance was below the price. Source: docs/contract/errors.md, Texts. */
const refusedForWant: Rule = {
  name: 'refused-for-want',
  promise: 'No send is refused for too few credits if the balance was sufficient during the whole request.',
  check: (evidence) =>
    refusals(evidence)
      .filter(({ price, balances }) => !balances.some(({ amount }) => amount < price))
      .map(({ call, price }) => found(`A send of ${price} was refused although the balance held it`, call.workspace, call.key, call.call)),
};

const wording = /You need ([\d.]+) credits but have ([\d.]+)\./;

/** The text of a 402 names the price and a balance that the workspace had. Source: docs/contract/errors.md, Texts. */
const refusalIsTrue: Rule = {
  name: 'refusal-is-true',
  promise: 'A refusal for too few credits names the price, and a balance that the workspace had during the request.',
  check: (evidence) =>
    refusals(evidence).flatMap(({ call, price, balances }) => {
      const [, needed, had] = wording.exec(call.answer?.error ?? '') ?? [];
      const isPrice = Math.round(Number(needed) * 1000) === price;
      const isBalance = balances.some(({ amount }) => amount === Math.round(Number(had) * 1000));
      return isPrice && isBalance
        ? []
        : [found(`A refusal says "${call.answer?.error}" of a price of ${price}`, call.workspace, call.call)];
    }),
};

export const linearizationRules = [ledgerOrder, refusedForWant, refusalIsTrue];
