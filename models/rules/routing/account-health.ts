/** When an account gets less, and when it gets more again. Pure: what was seen goes in, the change comes out. */
import { levelMax } from './route.js';

/** What came of the calls to an account since its level last changed, within the window. */
export interface Seen {
  level: number;
  calls: number;
  /** Calls that failed, had no answer, or took longer than `slowMs`. */
  bad: number;
  /** Bad ones since the last good one. */
  badInARow: number;
  /** Since the level last changed. */
  sinceSeconds: number;
}

export interface LevelChange {
  level: number;
  /** In words, for operators. */
  reason: string;
}

/** A call that takes longer counts as a failed one, from this moment on. */
export const slowMs = 3_000;

/** So many in a row tell that it is down, however well it was until then: even where every second call fails, one row in 256 is so long. */
const downInARow = 8;
/** Where nearly all fails, a few calls tell. */
const downShare = 0.8;
const downCallsMin = 5;
/** An account that is on its way back has had its warning. */
const downCallsMinAgain = 2;
const illShare = 0.15;
const illCallsMin = 10;
const illStep = 3;
const wellShare = 0.05;
const wellStep = 2;

/** Parts of the window: how long the level stays before it is lowered again, or raised. */
const illAfter = 1 / 6;
const wellAfter = 2 / 5;
/** Parts of the window: the first pause before a probe, and the longest. */
export const probePauses = { first: 1 / 12, longest: 1 / 2 };

/** The change that is due; null: none. */
export function judge({ level, calls, bad, badInARow, sinceSeconds }: Seen, windowSeconds: number): LevelChange | null {
  const share = calls === 0 ? 0 : bad / calls;
  const seen = `${Math.round(bad)} of ${Math.round(calls)} calls failed or took longer than ${slowMs / 1000} s`;
  if (level === 0) return calls - bad >= 1 ? { level: 1, reason: 'a probe was answered' } : null;
  if (badInARow >= downInARow) return { level: 0, reason: `${badInARow} calls in a row failed or took longer than ${slowMs / 1000} s` };
  const downMin = level < levelMax / 2 ? downCallsMinAgain : downCallsMin;
  if (bad >= downMin && share >= downShare) return { level: 0, reason: seen };
  if (calls >= illCallsMin && share >= illShare) {
    return level > 1 && sinceSeconds >= windowSeconds * illAfter ? { level: Math.max(1, level - illStep), reason: seen } : null;
  }
  if (level < levelMax && share < wellShare && sinceSeconds >= windowSeconds * wellAfter) {
    return { level: Math.min(levelMax, level + wellStep), reason: `${seen}: it is well again` };
  }
  return null;
}
