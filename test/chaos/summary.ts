/** What a run leaves in a few lines: for the console, and as JSON for the documents that are made of many runs. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Verdict } from './judge-run.js';
import type { Seen } from './one-run.js';
import type { Options } from './options.js';
import type { Figures } from './oracle/judge.js';
import type { Violation } from './oracle/rule.js';
import type { Snapshot } from './oracle/snapshot.js';

/** One run. In the folder of results as `run-<seed>.json`. */
export interface Summary {
  seed: number;
  commit: string;
  command: string;
  minutes: number;
  /** How often each nemesis began. */
  nemeses: Record<string, number>;
  /** Nemeses that this machine cannot do. */
  impossible: string[];
  /** What the oracle counted. */
  figures: Figures;
  /** Messages by their last status. */
  statuses: Record<string, number>;
  seconds: Record<string, number>;
  verdict: 'passed' | 'failed';
  /** Broken promises by rule. */
  violations: Record<string, number>;
}

/** The command that repeats a run. */
export function commandOf(seed: number, { minutes, nemeses }: Pick<Options, 'minutes' | 'nemeses'>): string {
  const more = [
    ...(minutes === 1 ? [] : [`--minutes ${minutes}`]),
    ...(nemeses === undefined ? [] : [`--nemeses ${nemeses.length === 0 ? 'none' : nemeses.join(',')}`]),
  ];
  return ['npm run chaos -- --seed', seed, ...more].join(' ');
}

/** The commit of this checkout, with a mark where files differ from it. */
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

/** Leaves the summary among the results, and with what was found in the folder of the run. */
export function writeSummary(results: string, folder: string, summary: Summary, violations: readonly Violation[]): void {
  const write = (path: string, content: object) => writeFileSync(path, `${JSON.stringify(content, null, 2)}\n`);
  write(join(results, `run-${summary.seed}.json`), summary);
  write(join(folder, 'verdict.json'), { ...summary, found: violations });
}

const shownMax = 3;

/** Tells what came of it; of each broken promise the first findings. */
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
