/** How `npm run doctor` shows its findings. */
import { countText } from '../../models/rules/values/text.js';
import type { Finding, State } from './check.js';

const marks: Record<State, string> = { ok: '✓', warning: '!', failed: '✗', skipped: '–' };

/** A table of the findings, with the fix below each fault, and a last line with the counts. */
export function textOf(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ subject }) => subject.length));
  const lines = findings.flatMap(({ state, subject, detail, fix }) => [
    `${marks[state]} ${subject.padEnd(width)}  ${detail}`,
    ...(fix === undefined ? [] : [`  ${' '.repeat(width)}  → ${fix}`]),
  ]);
  const count = (state: State) => findings.filter((finding) => finding.state === state).length;
  return `${lines.join('\n')}\n\n${count('ok')} ok, ${countText(count('warning'), 'warning')}, ${count('failed')} failed, ${count('skipped')} skipped\n`;
}

/** The exit code: 1 if anything failed. Warnings do not count. */
export const exitCodeOf = (findings: readonly Finding[]): number => (findings.some(({ state }) => state === 'failed') ? 1 : 0);
