/** What commands of measurements and long tests print. */
import { type Line, textOf } from '../measure/figures.js';

/** Prints lines. */
export function say(...lines: string[]): void {
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Prints a report. @returns the exit code: 1 if a figure misses its target */
export function sayReport(...lines: Line[]): 0 | 1 {
  say(...lines.map(textOf));
  return lines.every((line) => typeof line === 'string' || line.isMet) ? 0 : 1;
}

/**
 * Prints the violated expectations, or that there are none.
 * @param kept what is said if there are none
 * @returns the exit code
 */
export function sayVerdict(violations: readonly string[], kept = 'every promise was kept'): 0 | 1 {
  say(...(violations.length === 0 ? [`✓ ${kept}`] : violations.map((text) => `✗ ${text}`)));
  return violations.length === 0 ? 0 : 1;
}
