/** When the share of an account is lowered, and when it is raised again. A pure function from observations to a change. */
import { countText } from '../values/text.js';
import { levelMax } from './route.js';

/** The calls to an account since its level last changed, within the window. */
export interface Seen {
  level: number;
  calls: number;
  /** Calls that failed, had no answer, or took longer than `slowMsOf`. */
  bad: number;
  /** How many failed calls there were since the last successful one. */
  badInARow: number;
  /** Time since the last change of the level. */
  sinceSeconds: number;
}

export interface LevelChange {
  level: number;
  /** For operators. */
  reason: string;
}

/** A call that takes longer counts as failed. @param deadlineMs of the account, if its calls may last longer than others */
export const slowMsOf = (deadlineMs?: number): number => (deadlineMs === undefined ? 3_000 : deadlineMs / 2);

/**
 * This many failed calls in a row show that the account is down, however healthy it was before. Even if every second call fails, only one in 256
 * sequences of eight calls consists of failures.
 */
const downInARow = 8;
/** If nearly all calls fail, a few of them are enough. */
const downShare = 0.8;
const downCallsMin = 5;
/** An account that is recovering needs fewer calls to be down again. */
const downCallsMinAgain = 2;
const failingShare = 0.15;
const failingCallsMin = 10;
const lowerStep = 3;
const healthyShare = 0.05;
const raiseStep = 2;

/** Parts of the window: how long a level stays before it is lowered again, or raised. */
const lowerAfter = 1 / 6;
const raiseAfter = 2 / 5;
/** Parts of the window: the first pause before a probe, and the longest. */
export const probePauses = { first: 1 / 12, longest: 1 / 2 };

/** The change that is due; null if there is none. */
export function dueChange({ level, calls, bad, badInARow, sinceSeconds }: Seen, windowSeconds: number): LevelChange | null {
  const share = calls === 0 ? 0 : bad / calls;
  const seen = `${Math.round(bad)} of ${countText(Math.round(calls), 'call')} failed or took too long`;
  if (level === 0) return calls - bad >= 1 ? { level: 1, reason: 'a probe was answered' } : null;
  if (badInARow >= downInARow) return { level: 0, reason: `${badInARow} calls in a row failed or took too long` };
  const downMin = level < levelMax / 2 ? downCallsMinAgain : downCallsMin;
  if (bad >= downMin && share >= downShare) return { level: 0, reason: seen };
  if (calls >= failingCallsMin && share >= failingShare) {
    return level > 1 && sinceSeconds >= windowSeconds * lowerAfter ? { level: Math.max(1, level - lowerStep), reason: seen } : null;
  }
  if (level < levelMax && share < healthyShare && sinceSeconds >= windowSeconds * raiseAfter) {
    return { level: Math.min(levelMax, level + raiseStep), reason: `${seen}: it is healthy again` };
  }
  return null;
}
