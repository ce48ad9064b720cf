import { toCredits, toThousandths } from '../../models/rules/billing/credits.js';
import { UsageError } from './command.js';

/** The options of a command that `adds` or `takes` credits. */
export const creditOptions = (does: 'adds' | 'takes') =>
  ({
    reason: { value: 'TEXT', isRequired: true, about: 'The description of the ledger entry, which the owner can read' },
    reference: {
      value: 'TEXT',
      about: `A name such as an invoice number. A repeated command with it ${does} the credits only once; another amount is refused`,
    },
  }) as const;

const creditsMax = 1_000_000_000;

/**
 * Reads a number of credits of a command.
 * @returns thousandths of a credit, above 0
 * @throws UsageError
 */
export function readCredits(text: string): number {
  const amount = /^\d{1,10}(\.\d{1,3})?$/.test(text) ? toThousandths(Number(text)) : 0;
  if (amount === 0 || amount > toThousandths(creditsMax)) {
    throw new UsageError(`The credits must be a number above 0, at most ${creditsMax}, with at most 3 decimals`);
  }
  return amount;
}

/** What a workspace has after a command, in thousandths of a credit, as a sentence. */
export const leftText = ({ balance, debt }: { balance: number; debt: number }): string =>
  `Its balance is ${numberText(balance)}${debt === 0 ? '' : `, and its debt is ${numberText(debt)}`}.`;

const numberText = (thousandths: number) => toCredits(thousandths).toLocaleString('en-US');
