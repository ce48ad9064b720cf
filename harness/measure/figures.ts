/** Formats figures. */
import type { Percentiles } from './pass.js';

/** Formats rows of cells as lines. The first column is left-aligned, the others are right-aligned. */
export function tableLines(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0))) ?? [];
  return rows.map((cells) =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join('   '),
  );
}

/** The number, or words if it cannot be computed. In stored results such a number is null. */
const shown = (value: number, digits: number) => (Number.isFinite(value) ? value.toFixed(digits) : 'not measured');

/** `p50 12 ms, p95 30 ms, p99 41 ms` (`toFixed` would show a small negative time as -0.) */
export const formatPercentiles = ({ p50, p95, p99 }: Percentiles) =>
  Number.isFinite(p50) ? `p50 ${Math.round(p50)} ms, p95 ${Math.round(p95)} ms, p99 ${Math.round(p99)} ms` : 'not measured';

/** The same for tables: `12 / 30 / 41`; a dash without measurements. */
export const percentileCell = (of: Percentiles | undefined) =>
  of === undefined || !Number.isFinite(of.p50) ? '–' : [of.p50, of.p95, of.p99].map((ms) => Math.round(ms)).join(' / ');

/** `then → now (+5 %)` */
export function changeOf(now: number, then: number): string {
  const percent = (now / then - 1) * 100;
  const change = Number.isFinite(percent) ? ` (${now >= then ? '+' : ''}${percent.toFixed(0)} %)` : '';
  return `${shown(then, 1)} → ${shown(now, 1)}${change}`;
}

/** A figure with its target. */
interface Verdict {
  text: string;
  isMet: boolean;
}

/** A line of a report. */
export type Line = string | Verdict;
export const textOf = (line: Line) => (typeof line === 'string' ? line : line.text);

export const atLeast = (name: string, value: number, bound: number) => verdict(name, value >= bound, shown(value, 2), `at least ${bound}`);
export const atMost = (name: string, value: number, bound: number, digits = 2) =>
  verdict(name, value <= bound, shown(value, digits), `at most ${bound}`);
const verdict = (name: string, isMet: boolean, value: string, bound: string): Verdict => ({
  text: `${isMet ? '✓' : '✗'} ${name.padEnd(30)} ${value.padStart(6)}   target: ${bound}`,
  isMet,
});
