/** CPU profiles of API and worker while a pass runs. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { threadTimes } from './process-usage.js';
import { type CpuProfile, summarize } from './profile-summary.js';
import { pidOf, type Workbench } from '../stage/workbench.js';

const profiledParts = ['API', 'worker'] as const;
const writeMsMax = 20_000;
/** How long to wait for the profiles of all other threads, which are written in parallel. */
const othersMs = 3_000;

/** The environment variables for profiling. Creates the folder. */
export function profilingEnvironment(folder: string): NodeJS.ProcessEnv {
  mkdirSync(folder, { recursive: true });
  const preload = `--import=${pathToFileURL(join(import.meta.dirname, 'profile-preload.js'))}`;
  return { NODE_OPTIONS: [process.env.NODE_OPTIONS, preload].filter(Boolean).join(' '), BENCH_PROFILE_DIR: folder };
}

/**
 * Runs the work while API and worker are profiled.
 * @returns the result of the work, and the summary of the profiles
 */
export async function profiled<Result extends { sent: readonly unknown[] }>(bench: Workbench, folder: string, work: () => Promise<Result>) {
  const toggle = () => profiledParts.forEach((name) => process.kill(pidOf(bench, name), 'SIGUSR2'));
  const threads = () => profiledParts.map((name) => threadTimes(pidOf(bench, name)));
  toggle();
  const before = threads();
  const result = await work();
  const after = threads();
  toggle();
  await untilWritten(folder);
  const lines = profiledParts.flatMap((name, index) => threadLines(name, before[index], after[index], result.sent.length));
  const profiles = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
  for (const name of profiles.toSorted()) {
    lines.push('', `── ${name}`, ...summarize(JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile, result.sent.length));
  }
  return { result, lines };
}

async function untilWritten(folder: string): Promise<void> {
  const until = performance.now() + writeMsMax;
  while (!['api', 'worker'].every((name) => existsSync(join(folder, `${name}-main.cpuprofile`)))) {
    if (performance.now() > until) throw new Error('API or worker wrote no profile');
    await sleep(100);
  }
  await sleep(othersMs);
}

function threadLines(name: string, before = new Map<string, number>(), after = new Map<string, number>(), messages: number): string[] {
  const spent = [...after].map(([thread, ms]) => ({ thread, ms: (ms - (before.get(thread) ?? 0)) / messages }));
  const shown = spent.filter(({ ms }) => ms > 0.05).toSorted((a, b) => b.ms - a.ms);
  return [`${name}, CPU ms/message by thread: ${shown.map(({ thread, ms }) => `${thread} ${ms.toFixed(2)}`).join(', ')}`];
}
