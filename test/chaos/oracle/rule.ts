import type { Evidence } from './evidence.js';

/** A finding of a rule. */
export interface Violation {
  /** Name of the rule. */
  rule: string;
  /** The problem, in one sentence. */
  says: string;
  /** Ids, tokens and numbers for a search in the history and the snapshot. */
  ids: string[];
}

/** A promise of the service. Pure: reads the evidence, and changes nothing. */
export interface Rule {
  name: string;
  /** What the service promises, in one sentence; written into docs/reliability.md. */
  promise: string;
  /** @returns the violations: a sentence and ids each */
  check(evidence: Evidence): Found[];
}

export type Found = Omit<Violation, 'rule'>;

/** A finding: the sentence, then the relevant ids. */
export const found = (says: string, ...ids: (string | number | null | undefined)[]): Found => ({
  says,
  ids: ids.filter((id) => id !== null && id !== undefined).map(String),
});

/**
 * The maximum difference of clocks that should agree. PostgreSQL and the observer use the clock of the same machine, but a time may be read
 * before or after its event.
 */
export const clockMs = 250;
