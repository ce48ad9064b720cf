/** Measured passes with production-like processes: rate, CPU, and whether anything but the CPU limits them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { cpus } from 'node:os';
import type { Client } from '@temporalio/client';
import { type Database, select } from '../../models/db/database.js';
import { sendToEnd } from './cases.js';
import { messageWorkflows } from '../../harness/measure/open-workflows.js';
import { closedLoop, type Load } from '../../harness/load/closed-loop.js';
import type { FinishedMessages } from '../../harness/measure/finished-messages.js';
import { type CaseResult, type Pass, runPass, type Sent, summarizePasses } from '../../harness/measure/pass.js';
import { usageOf } from '../../harness/measure/process-usage.js';
import { createSender, type Sender } from '../../harness/load/sender.js';
import type { ShapeProcesses } from '../../harness/stage/shape-processes.js';
import type { ShapeServers } from '../../harness/stage/shape-servers.js';

export const shapeParts = ['API', 'worker', 'Temporal', 'PostgreSQL', 'PostgreSQL of Temporal', 'Redis'] as const;
export type ShapePart = (typeof shapeParts)[number];

/** The environment of the passes. */
export interface ShapeBench {
  servers: ShapeServers;
  client: Client;
  db: Database;
  finished: FinishedMessages;
}

export interface ShapePass {
  pass: Pass<ShapePart>;
  /** The busy share of the machine's CPU, including other programs. */
  busyShare: number;
  /** The average number of our database connections that waited for a lock. */
  lockWaits: number;
  /** The CPU of the least busy worker relative to the busiest one; the same for API processes. */
  evenness: { worker: number; API: number };
  /** Number of workflows started. Messages that arrive together share one. */
  workflows: number;
}

/** The combined passes of a shape, as stored. */
export interface ShapeResult extends CaseResult<ShapePart> {
  busy_share: number;
  lock_waits: number;
  worker_evenness: number;
  api_evenness: number;
  workspaces: number;
  messages_per_workflow: number;
}

const lookEveryMs = 100;

/** Sends for these workspaces in turn, with the API processes in turn. */
export function sendInTurn(
  { finished }: ShapeBench,
  { baseUrls }: ShapeProcesses,
  apiKeys: readonly string[],
): (load: Load) => Promise<Sent[]> {
  const senders = apiKeys.flatMap((apiKey) => baseUrls.map((baseUrl) => createSender(baseUrl, apiKey)));
  let turn = 0;
  const send = () => sendToEnd(senders[(turn += 1) % senders.length] as Sender, (messageId) => finished.until(messageId));
  return (load) => closedLoop(send, load);
}

/** Runs one pass. */
export async function runShapePass(
  bench: ShapeBench,
  { pids }: ShapeProcesses,
  load: Load,
  sendAll: (load: Load) => Promise<Sent[]>,
): Promise<ShapePass> {
  const processes = Object.fromEntries([...pids.worker, ...pids.API].map((pid) => [String(pid), pid]));
  const [before, cpuBefore] = [usageOf(processes), machineCpu()];
  const groupsBefore = await countGroups(bench.db);
  const watching = watchLocks(bench.db);
  const item = { sendAll, workflowTypes: messageWorkflows, pids: () => ({ ...bench.servers.pids, ...pids }) };
  const pass = await runPass(item, load, bench.client).finally(watching.stop);
  const [after, cpuAfter] = [usageOf(processes), machineCpu()];
  const evenness = (all: readonly number[]) => {
    const used = all.map((pid) => (after[pid]?.cpuMs ?? 0) - (before[pid]?.cpuMs ?? 0));
    return Math.min(...used) / Math.max(...used);
  };
  return {
    pass,
    busyShare: (cpuAfter.busy - cpuBefore.busy) / (cpuAfter.all - cpuBefore.all),
    lockWaits: await watching.waiting,
    evenness: { worker: evenness(pids.worker), API: evenness(pids.API) },
    workflows: (await countGroups(bench.db)) - groupsBefore,
  };
}

/** Combines the passes of one shape and one kind of load. */
export function summarizeShape(workspaces: number, passes: readonly ShapePass[]): ShapeResult {
  const mean = (of: (pass: ShapePass) => number) => passes.reduce((sum, pass) => sum + of(pass), 0) / passes.length;
  const workflows = passes.reduce((sum, pass) => sum + pass.workflows, 0);
  const figures = summarizePasses(
    workspaces === 1 ? 'one hot workspace' : `${workspaces} workspaces`,
    passes.map(({ pass }) => pass),
  );
  return {
    ...figures,
    workspaces,
    messages_per_workflow: figures.messages / workflows,
    busy_share: mean(({ busyShare }) => busyShare),
    lock_waits: mean(({ lockWaits }) => lockWaits),
    worker_evenness: mean(({ evenness }) => evenness.worker),
    api_evenness: mean(({ evenness }) => evenness.API),
  };
}

function machineCpu(): { busy: number; all: number } {
  const times = cpus().map((cpu) => cpu.times);
  const all = times.reduce((sum, { user, nice, sys, irq, idle }) => sum + user + nice + sys + irq + idle, 0);
  return { busy: all - times.reduce((sum, { idle }) => sum + idle, 0), all };
}

async function countGroups(db: Database): Promise<number> {
  const [row] = await select<{ groups: number }>(db, 'SELECT count(*) AS groups FROM message_groups');
  return row?.groups ?? 0;
}

const waitingForLocks = `SELECT count(*) AS waiting FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock'`;

/** Samples how many connections wait for a lock. */
function watchLocks(db: Database): { stop(): void; waiting: Promise<number> } {
  const stopping = new AbortController();
  const watch = async () => {
    let [looks, waiting] = [0, 0];
    while (!stopping.signal.aborted) {
      const [row] = await select<{ waiting: number }>(db, waitingForLocks);
      looks += 1;
      waiting += row?.waiting ?? 0;
      await sleep(lookEveryMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
    return waiting / looks;
  };
  const watched = watch();
  watched.catch(() => undefined); // the error is thrown where it is awaited
  return { stop: () => stopping.abort(), waiting: watched };
}
