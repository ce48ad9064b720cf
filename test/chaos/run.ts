/** `npm run chaos`: the service on real parts under load and faults, judged by an oracle. */
import { mkdirSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Cleanup, runToExit } from '../../harness/stage/cleanup.js';
import { say } from '../../harness/report/say.js';
import { installedTemporal } from '../support/temporal/installed-temporal.js';
import { judgeRun, keepSnapshot } from './judge-run.js';
import { runOne } from './one-run.js';
import { type Options, readOptions, usage } from './options.js';
import type { Snapshot } from './oracle/snapshot.js';
import type { Programs } from './stage/servers.js';
import { makeTemplate } from './stage/template.js';
import { commandOf, commitNow, summarize, tell, writeSummary } from './summary.js';

/** The folder of the summaries, and of the files of failed runs. */
const resultsDir = resolve('.data/chaos');
const runMsMax = 15 * 60_000;

let options: Options;
try {
  options = readOptions(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n\n${usage}\n`);
  process.exit(2);
}
await runToExit(options.seeds.length * (runMsMax + options.minutes * 60_000), (cleanup) => runAll(options, cleanup));

/** Runs the seeds one after the other. @returns the exit code: 0 if no run broke a promise */
async function runAll(given: Options, cleanup: Cleanup): Promise<number> {
  const root = await mkdtemp(join(tmpdir(), 'tidings-chaos-'));
  cleanup.add(() => rmSync(root, { recursive: true, force: true, maxRetries: 3 }));
  const cancel = new AbortController();
  cleanup.add(() => cancel.abort());
  const programs: Programs = { template: await makeTemplate(root, cancel.signal), temporal: await installedTemporal(root, say) };
  let failed = 0;
  for (const seed of given.seeds) {
    const hasPassed = await runSeed(seed, given, programs, cleanup).catch((error: unknown) => {
      say(`  ✗ the run broke off: ${error instanceof Error ? error.stack : String(error)}`);
      return false;
    });
    if (!hasPassed) failed += 1;
  }
  say(`\n${given.seeds.length - failed} of ${given.seeds.length} runs without a violation`);
  return failed === 0 ? 0 : 1;
}

/** @returns whether all promises were kept */
async function runSeed(seed: number, given: Options, programs: Programs, cleanup: Cleanup): Promise<boolean> {
  const command = commandOf(seed, given);
  const commit = commitNow();
  say(`\n${command}`);
  const folder = join(resultsDir, `seed-${seed}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  let snapshot: Snapshot | undefined;
  const seen = await runOne({
    seed,
    folder,
    programs,
    loadMs: given.minutes * 60_000,
    bursts: given.bursts,
    ...(given.nemeses === undefined ? {} : { nemeses: given.nemeses }),
    about: { commit, command },
    say,
    cleanup,
    look: async (db) => {
      snapshot = await keepSnapshot(db, folder);
    },
  });
  if (snapshot === undefined) throw new Error('the database was not looked at');
  const verdict = judgeRun(seen, snapshot);
  const summary = summarize({ seed, commit, command, minutes: given.minutes }, seen, snapshot, verdict);
  writeSummary(resultsDir, folder, summary, verdict.violations);
  tell(summary, verdict.violations, folder, say);
  const hasPassed = verdict.violations.length === 0;
  if (hasPassed && !given.keep) rmSync(folder, { recursive: true, force: true });
  return hasPassed;
}
