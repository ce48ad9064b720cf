/** Stores the results of a run in bench/results/, with the facts needed for comparisons. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { join, resolve } from 'node:path';
import type { Client } from '@temporalio/client';
import pg from 'pg';
import type { Size } from '../../harness/measure/growth.js';
import type { Isolation } from '../cases/isolation.js';
import type { OpenLoop } from '../cases/open-loop.js';
import type { CaseResult, Percentiles } from '../../harness/measure/pass.js';
import type { Options } from '../options.js';
import type { ColumnKey } from '../cases/measured-case.js';

export interface Environment {
  cores: number;
  cpu: string;
  memory_mb: number;
  /** The one-minute load before the run. Above 0.5, other programs were running. */
  load_before: number;
  system: string;
  node: string;
  postgres: string;
  temporal: string;
  commit: string;
}

export interface Results {
  at: string;
  environment: Environment;
  options: Options;
  cases: Partial<Record<ColumnKey, CaseResult>>;
  /** Accept latency with one client. */
  alone_accept_ms: Partial<Record<ColumnKey, Percentiles>>;
  isolation?: Isolation;
  open_loop?: OpenLoop[];
  soak?: Size[];
}

/** The folder of the results, which is not in git. */
export const resultsDir = resolve(import.meta.dirname, '../../../bench/results');

/** A file name that sorts by time and is valid on every file system. */
export const stampOf = (at: Date) => at.toISOString().slice(0, 19).replaceAll(':', '-');

/** The servers whose versions are recorded. */
export interface Measured {
  client: Client;
  service: { databaseUrl: string };
}

/** Describes the machine and its software. */
export async function describeEnvironment({ client, service }: Measured, loadBefore: number): Promise<Environment> {
  const database = new pg.Client({ connectionString: service.databaseUrl });
  await database.connect();
  const { rows } = await database.query<{ server_version: string }>('SHOW server_version');
  await database.end();
  const { serverVersion } = await client.workflowService.getSystemInfo({});
  return {
    cores: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    memory_mb: Math.round(totalmem() / 1024 ** 2),
    load_before: loadBefore,
    system: `${process.platform} ${release()}`,
    node: process.versions.node,
    postgres: rows[0]?.server_version ?? 'unknown',
    temporal: serverVersion,
    commit: commit(),
  };
}

/** The one-minute load average. */
export const currentLoad = () => loadavg()[0] ?? 0;

function commit(): string {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: import.meta.dirname, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  try {
    return git('rev-parse', '--short', 'HEAD') + (git('status', '--porcelain') === '' ? '' : ' with changes');
  } catch {
    return 'unknown';
  }
}

/** Stores the results. @returns the path of the file */
export function saveResults(results: { at: string }, dir = resultsDir): string {
  const path = join(dir, `${stampOf(new Date(results.at))}.json`);
  mkdirSync(dir, { recursive: true });
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
  return path;
}

/** What makes two loads the same, beside their cases. */
const loadOptions = ['messages', 'clients', 'rounds', 'groupMax', 'recipients', 'soak'] as const;

/** The last stored results of the same load; undefined if there are none. */
export function previousResults(options: Options): Results | undefined {
  return newestFirst().find(({ options: then }) => {
    const hasAll = options.cases.every((key) => then.cases.includes(key));
    return hasAll && loadOptions.every((name) => then[name] === options[name]) && !then.profile; // profiling affects the times
  });
}

/** A shorter soak does not show growth. */
const soakMessagesMin = 10_000;

/** The longest stored soak, the latest of equals; undefined if there is none of sufficient length. */
export function longestSoak(): Results | undefined {
  const soaks = newestFirst().filter(({ soak, options }) => soak !== undefined && options.soak >= soakMessagesMin);
  return soaks.toSorted((a, b) => b.options.soak - a.options.soak)[0];
}

function newestFirst(): Results[] {
  mkdirSync(resultsDir, { recursive: true });
  const names = readdirSync(resultsDir).filter((name) => name.endsWith('.json'));
  return names
    .toSorted()
    .toReversed()
    .map((name) => JSON.parse(readFileSync(join(resultsDir, name), 'utf8')) as Results);
}
