/** The summary of a run: for the console, and as JSON for the report on many runs. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verdict } from './judge-run.js';
import type { Seen } from './one-run.js';
import type { Options } from './options.js';
import type { Figures } from './oracle/judge.js';
import type { Violation } from './oracle/rule.js';
import type { Snapshot } from './oracle/snapshot.js';

/** One run, stored as `run-<seed>.json` in the folder of results. */
export interface Summary {
  seed: number;
  commit: string;
  command: string;
  minutes: number;
  /** How often each nemesis began. */
  nemeses: Record<string, number>;
  /** Nemeses that this machine cannot execute. */
  impossible: string[];
  /** The counts of the oracle. */
  figures: Figures;
  /** The number of messages by their last status. */
  statuses: Record<string, number>;
  seconds: Record<string, number>;
  verdict: 'passed' | 'failed';
  /** The number of broken promises by rule. */
  violations: Record<string, number>;
}

/** The command that repeats a run. */
export function commandOf(seed: number, { minutes, bursts, nemeses }: Pick<Options, 'minutes' | 'bursts' | 'nemeses'>): string {
  const more = [
    ...(minutes === 1 ? [] : [`--minutes ${minutes}`]),
    ...(bursts === 1 ? [] : [`--bursts ${bursts}`]),
    ...(nemeses === undefined ? [] : [`--nemeses ${nemeses.length === 0 ? 'none' : nemeses.join(',')}`]),
  ];
  return ['npm run chaos -- --seed', seed, ...more].join(' ');
}

/** The commit of this checkout, with a mark if files differ from it. */
export function commitNow(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty', '--abbrev=12'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

export const summarize = (
  run: Pick<Summary, 'seed' | 'commit' | 'command' | 'minutes'>,
  { nemeses, seconds }: Seen,
  { messages }: Snapshot,
  { violations, figures }: Verdict,
): Summary => ({
  ...run,
  nemeses: nemeses.counts,
  impossible: nemeses.impossible,
  figures,
  statuses: tally(messages.map(({ status }) => status)),
  seconds,
  verdict: violations.length === 0 ? 'passed' : 'failed',
  violations: tally(violations.map(({ rule }) => rule)),
});

const tally = (words: readonly string[]): Record<string, number> =>
  words.reduce<Record<string, number>>((counts, word) => ({ ...counts, [word]: (counts[word] ?? 0) + 1 }), {});

/** Writes the summary to the folder of results, and with the findings to the folder of the run. */
export function writeSummary(results: string, folder: string, summary: Summary, violations: readonly Violation[]): void {
  const write = (path: string, content: object) => writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
  write(join(results, `run-${summary.seed}.json`), summary);
  write(join(folder, 'verdict.json'), { ...summary, found: violations });
}

const shownMax = 3;

/** Prints the result, and the first findings for each broken promise. */
export function tell(summary: Summary, violations: readonly Violation[], folder: string, say: (line: string) => void): void {
  const { figures, statuses, seconds, verdict, commit, command } = summary;
  const ends = Object.entries(statuses).map(([status, number]) => `${status} ${number}`);
  say(`  ${figures.messages} messages: ${ends.join(', ')}; ${figures.calls} calls, ${figures.unanswered} of them unanswered`);
  say(`  ${figures.taken} taken by carriers, ${figures.reports} reports, ${figures.arrivals} events at receivers`);
  say(`  start ${seconds.start} s, load ${seconds.load} s, settling ${seconds.settle} s`);
  for (const [rule, number] of Object.entries(summary.violations)) {
    say(`  ✗ ${rule}: ${number}`);
    for (const { says, ids } of violations.filter((each) => each.rule === rule).slice(0, shownMax))
      say(`      ${says} (${ids.join(', ')})`);
  }
  say(verdict === 'passed' ? '  ✓ no promise was broken' : `  commit ${commit}; history, books and logs in ${folder}; again: ${command}`);
}
