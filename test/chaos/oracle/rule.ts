import type { Evidence } from './evidence.js';

/** What one rule found. */
export interface Violation {
  /** Name of the rule. */
  rule: string;
  /** What is wrong, in one sentence. */
  says: string;
  /** Ids, tokens and numbers to look for in the history and in the snapshot. */
  ids: string[];
}

/** A promise of the service. Pure: looks at the evidence, and changes nothing. */
export interface Rule {
  name: string;
  /** What the service promises, in one sentence; written into docs/reliability.md. */
  promise: string;
  /** @returns what breaks the promise: a sentence and ids each */
  check(evidence: Evidence): Found[];
}

export type Found = Omit<Violation, 'rule'>;

/** A finding: the sentence, then the ids that lead to it. */
export const found = (says: string, ...ids: (string | number | null | undefined)[]): Found => ({
  says,
  ids: ids.filter((id) => id !== null && id !== undefined).map(String),
});

/**
 * How far clocks that should agree may differ: that of PostgreSQL and that of the observer are the same machine's, but a time is
 * read before or after the thing that it belongs to.
 */
export const clockMs = 250;
