/** Which fault was active at which time. What the contract permits depends on it. */
import type { NemesisRecord, Target } from '../records.js';

export interface Fault {
  name: string;
  targets: readonly Target[];
  from: number;
  /** Infinity for a fault that never ended. */
  to: number;
}

export interface Faults {
  all: readonly Fault[];
  /** Whether a fault of all of these parts was active at some time of the interval. */
  hit(targets: readonly Target[], from: number, to: number, names?: readonly string[]): boolean;
  /** For how many milliseconds of the interval a fault of one of these parts was active. */
  durationOf(targets: readonly Target[], from: number, to: number): number;
}

/** Combines the beginning and the end of each fault. */
export function collectFaults(records: readonly (NemesisRecord & { at: number })[]): Faults {
  const ends = new Map(records.filter(({ did }) => did === 'ended').map(({ nemesis, at }) => [nemesis, at]));
  const all = records
    .filter(({ did }) => did === 'began')
    .map(({ nemesis, name, targets, at }) => ({ name, targets, from: at, to: ends.get(nemesis) ?? Number.POSITIVE_INFINITY }));
  return {
    all,
    hit: (targets, from, to, names) =>
      all.some(
        (fault) =>
          fault.from <= to &&
          fault.to >= from &&
          targets.every((target) => fault.targets.includes(target)) &&
          (names === undefined || names.includes(fault.name)),
      ),
    durationOf: (targets, from, to) => {
      const hits = all.filter((fault) => targets.some((target) => fault.targets.includes(target)));
      return lengthOf(hits.map((fault) => [Math.max(from, fault.from), Math.min(to, fault.to)] as const));
    },
  };
}

/** The length of the union of intervals. An interval that ends before it begins counts as empty. */
function lengthOf(intervals: (readonly [number, number])[]): number {
  let length = 0;
  let reached = Number.NEGATIVE_INFINITY;
  for (const [from, to] of intervals.filter(([from, to]) => to > from).toSorted(([one], [other]) => one - other)) {
    length += Math.max(0, to - Math.max(from, reached));
    reached = Math.max(reached, to);
  }
  return length;
}
