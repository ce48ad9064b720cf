/** All planted faults, and the reaction of the oracle to each. */
import { judge, rules } from '../judge.js';
import { type PerfectRun, perfectRun } from '../perfect/run.js';
import type { Rule } from '../rule.js';
import { acceptanceMutants } from './acceptance.js';
import { answerMutants } from './answers.js';
import { batchMutants } from './batches.js';
import { chainChargeMutants } from './chain-charges.js';
import { type Draft, Missing, type Mutant } from './edit.js';
import { handoffMutants } from './handing-off.js';
import { inactiveWebhookMutants } from './inactive-webhooks.js';
import { ledgerOrderMutants } from './ledger-order.js';
import { moneyMutants } from './money.js';
import { orderMutants } from './order.js';
import { outcomeMutants } from './outcomes.js';
import { promiseMutants } from './promises.js';
import { eventDeliveryMutants } from './event-delivery.js';
import { recipientMutants } from './recipients.js';

export const mutants: readonly Mutant[] = [
  ...acceptanceMutants,
  ...answerMutants,
  ...batchMutants,
  ...handoffMutants,
  ...outcomeMutants,
  ...eventDeliveryMutants,
  ...orderMutants,
  ...moneyMutants,
  ...chainChargeMutants,
  ...ledgerOrderMutants,
  ...promiseMutants,
  ...inactiveWebhookMutants,
  ...recipientMutants,
];

/** A mutant, with the names of the rules that notice it. */
export interface Noticed {
  mutant: Mutant;
  by: string[];
}

const seedsMax = 20;
const runs = new Map<number, PerfectRun>();

/** The run of a seed is shared, so it must not be changed. */
export function runOf(seed: number): PerfectRun {
  const known = runs.get(seed) ?? perfectRun(seed);
  runs.set(seed, known);
  return known;
}

const texts = new Map<number, string>();

/** A copy of the run of a seed, which may be changed. Reading it from its text takes half the time of copying objects. */
export function draftOf(seed: number): Draft {
  const text = texts.get(seed) ?? JSON.stringify(runOf(seed));
  texts.set(seed, text);
  return JSON.parse(text) as Draft;
}

/**
 * Plants a fault in the first run that has a place for it, and lets the oracle judge that run.
 * @throws Error if no run has a place for it
 */
export function notice(mutant: Mutant, judgedBy: readonly Rule[] = rules): Noticed {
  for (let seed = 1; seed <= seedsMax; seed += 1) {
    const draft = draftOf(seed);
    try {
      mutant.plant(draft);
    } catch (error) {
      if (error instanceof Missing) continue;
      throw error;
    }
    const { violations } = judge(draft.history, draft.snapshot, {}, judgedBy);
    return { mutant, by: [...new Set(violations.map(({ rule }) => rule))] };
  }
  throw new Error(`no run has a place for: ${mutant.name}`);
}
