/** What a run leaves behind: a file in bench/results/, with the facts needed to compare it. */
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
import type { ColumnKey } from '../../harness/measure/measured-case.js';

export interface Environment {
  cores: number;
  cpu: string;
  memory_mb: number;
  /** one-minute load before the run: above 0.5, others were at work too */
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
  /** accept latency with one client */
  alone_accept_ms: Partial<Record<ColumnKey, Percentiles>>;
  isolation?: Isolation;
  open_loop?: OpenLoop[];
  soak?: Size[];
}

/** Where results are kept, out of git. */
export const resultsDir = resolve(import.meta.dirname, '../../../bench/results');

/** A name that sorts by time and that every file system takes. */
export const stampOf = (at: Date) => at.toISOString().slice(0, 19).replaceAll(':', '-');

/** What is asked for its versions. */
export interface Measured {
  client: Client;
  service: { databaseUrl: string };
}

/** Facts about the machine and what runs on it. */
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

/** Load of the last minute. */
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

/** Stores the results; returns the file's path. */
export function saveResults(results: { at: string }, dir = resultsDir): string {
  const path = join(dir, `${stampOf(new Date(results.at))}.json`);
  mkdirSync(dir, { recursive: true });
  writeFileSync(path, `${JSON.stringify(results, null, 2)}\n`);
  return path;
}

/** The last stored results of the same load; undefined when there are none. */
export function previousResults({ cases, clients, soak }: Options): Results | undefined {
  return newestFirst().find(({ options: then }) => {
    const hasAll = cases.every((key) => then.cases.includes(key));
    return hasAll && then.clients === clients && (then.soak ?? 0) === soak && !then.profile; // profiling costs time too
  });
}

/** Fewer say nothing of growth. */
const soakMessagesMin = 10_000;

/** The longest soak that is stored, the last of several; undefined when there is none worth the name. */
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
