/** The oracle: finds the broken promises of the service in a history and the books at its end. */
import type { History } from '../records.js';
import { acceptanceRules, uncertainRefusals } from './acceptance.js';
import { answerRules } from './answers.js';
import { chainRules } from './chains.js';
import { type Evidence, gather, type Limits } from './evidence.js';
import { handoffRules, lawfulDoubles } from './handing-off.js';
import { linearizationRules } from './linearization.js';
import { moneyRules } from './money.js';
import { orderRules } from './order.js';
import { outcomeRules } from './outcomes.js';
import { promiseRules } from './promises.js';
import { recipientRules } from './recipients.js';
import type { Rule, Violation } from './rule.js';
import type { Snapshot } from './snapshot.js';
import { eventDeliveryRules } from './event-delivery.js';

export const rules: readonly Rule[] = [
  ...acceptanceRules,
  ...handoffRules,
  ...outcomeRules,
  ...eventDeliveryRules,
  ...orderRules,
  ...moneyRules,
  ...linearizationRules,
  ...answerRules,
  ...promiseRules,
  ...recipientRules,
  ...chainRules,
];

/** A run in numbers, without a judgement. */
export interface Figures {
  calls: number;
  /** Calls without an answer. */
  unanswered: number;
  /** 500s without a known decision, because the database was disturbed. */
  uncertainRefusals: number;
  messages: number;
  /** Messages that a carrier took. */
  taken: number;
  /** Lawfully taken twice: the answer was lost, and the carrier denied that it has the message. */
  lawfulDoubles: number;
  /** Failed as `handoff_unknown`, lawfully. */
  handoffUnknown: number;
  reports: number;
  /** POSTs that receivers got. */
  arrivals: number;
  entries: number;
  /** Faults by name and parts, for example `kill worker`. */
  faults: Record<string, number>;
}

/** The result of judging a run. */
export interface Judgement {
  violations: Violation[];
  figures: Figures;
}

/**
 * Judges a run. Pure: the same history and snapshot give the same judgement.
 * @param limits settings of the run that differ from the service's defaults
 * @param judgedBy the rules. Default: all
 */
export function judge(history: History, snapshot: Snapshot, limits: Partial<Limits> = {}, judgedBy: readonly Rule[] = rules): Judgement {
  const evidence = gather(history, snapshot, limits);
  const violations = judgedBy.flatMap(({ name, check }) => check(evidence).map((finding) => ({ rule: name, ...finding })));
  return { violations, figures: figuresOf(evidence) };
}

function figuresOf(evidence: Evidence): Figures {
  const { calls, snapshot, handoffsOf, reports, arrivals, faults } = evidence;
  const counts: Record<string, number> = {};
  for (const { name, targets } of faults.all) {
    const key = `${name} ${targets.join('–')}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return {
    calls: calls.length,
    unanswered: calls.filter(({ answer }) => answer === null).length,
    uncertainRefusals: uncertainRefusals(evidence),
    messages: snapshot.messages.length,
    taken: [...handoffsOf.values()].filter((same) => same.some(({ tookAt }) => tookAt !== null)).length,
    lawfulDoubles: lawfulDoubles(evidence),
    handoffUnknown: snapshot.messages.filter(({ error_code }) => error_code === 'handoff_unknown').length,
    reports: reports.length,
    arrivals: arrivals.length,
    entries: snapshot.entries.length,
    faults: counts,
  };
}
