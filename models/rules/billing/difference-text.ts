/** Differences that the audit found, for people: amounts in credits, as the commands that correct them take them. */
import { countText } from '../values/text.js';
import { creditsText, toCredits } from './credits.js';

/** A violated invariant. */
export interface Difference {
  what: string;
  /** The id of the workspace, message, batch, order or ledger entry. */
  id: string;
  detail: object;
}

/** The fields of a difference that are amounts. */
const amounts: ReadonlySet<string> = new Set([
  'amount',
  'balance',
  'cost',
  'credited',
  'credits',
  'credits_used',
  'debit',
  'debt',
  'given_over',
  'ledger',
  'opening_balance',
  'refund',
  'refunds',
  'reversed',
  'taken',
  'taken_over',
  'unnumbered',
]);

/** The differences whose id is that of a workspace. */
const ofWorkspace: ReadonlySet<string> = new Set(['opening balance', 'credits taken back', 'message count']);

/** How far a balance is from the sum of its ledger: `7 credits too low`. Both in thousandths of a credit. */
export const driftText = (balance: number, ledger: number): string =>
  `${creditsText(Math.abs(balance - ledger))} too ${balance < ledger ? 'low' : 'high'}`;

/** The difference with its amounts in credits instead of thousandths of a credit, and as a sentence. */
export function describeDifference({ what, id, detail }: Difference): Difference & { text: string } {
  const fields = Object.entries(detail).map(([name, value]: [string, unknown]): [string, unknown] => [
    name,
    amounts.has(name) && typeof value === 'number' ? toCredits(value) : value,
  ]);
  return { what, id, text: textOf({ what, id, detail }), detail: Object.fromEntries(fields) };
}

function textOf({ what, id, detail }: Difference): string {
  const { number } = detail as { number?: number };
  if (what === 'ledger entry')
    return `entry ${number} of workspace ${id}: its number or its balance does not follow from the entries before it`;
  if (what === 'balance') return `balance of workspace ${id}: ${balanceText(detail as BalanceDetail)}`;
  const facts = Object.entries<string | number | null>({ ...detail }).filter(([name]) => name !== 'id');
  return `${what}${ofWorkspace.has(what) ? ' of workspace' : ''} ${id}: ${facts.map(factText).join(', ')}`;
}

interface BalanceDetail {
  balance: number;
  ledger: number;
  entry_count: number;
  entries: number;
}

function balanceText({ balance, ledger, entry_count, entries }: BalanceDetail): string {
  const drift = `${creditsText(balance)}, but its entries add up to ${creditsText(ledger)}: ${driftText(balance, ledger)}`;
  const count = `its row counts ${countText(entry_count, 'entry', 'entries')}, but its ledger has ${entries}`;
  return [...(balance === ledger ? [] : [drift]), ...(entry_count === entries ? [] : [count])].join('; ');
}

function factText([name, value]: [string, string | number | null]): string {
  const shown = typeof value === 'number' && amounts.has(name) ? creditsText(value) : String(value ?? 'none');
  return `${name.replaceAll('_', ' ')} ${shown}`;
}
