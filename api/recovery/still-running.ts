/** Detects API and worker processes that are still running. A recovery cannot see their concurrent changes. */
import type { Connection } from '@temporalio/client';
import { type Database, select } from '../../models/db/database.js';
import { recentPollers } from '../outside/pollers.js';
import { queues } from '../../workflows/contract.js';

/**
 * Describes the processes that are connected to the database or have polled Temporal recently.
 * The pool must have run no two statements at the same time before: the query excludes only the one connection that it runs on.
 */
export async function stillRunning(db: Database, connection: Connection, namespace: string): Promise<string[]> {
  const connected = await select<{ pid: number; client_addr: string | null }>(db, others);
  const polled = await pollers(connection, namespace);
  return [
    ...connected.map(({ pid, client_addr }) => `a connection to the database from ${client_addr ?? 'this machine'} (backend ${pid})`),
    ...polled.map(({ identity, ageMs }) => `the worker ${identity}, which polled Temporal ${Math.round(ageMs / 1000)} s ago`),
  ];
}

const others = `
  SELECT pid, host(client_addr) AS client_addr FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'tidings' AND pid <> pg_backend_pid() ORDER BY pid`;

/** The workers that have polled any task queue recently. */
async function pollers({ workflowService }: Connection, namespace: string): Promise<{ identity: string; ageMs: number }[]> {
  const newest = new Map<string, number>();
  for (const queue of Object.values(queues)) {
    for (const type of ['workflow', 'activity'] as const) {
      for (const { identity, ageMs } of await recentPollers(workflowService, namespace, queue, type)) {
        newest.set(identity, Math.min(ageMs, newest.get(identity) ?? Number.POSITIVE_INFINITY));
      }
    }
  }
  return [...newest].map(([identity, ageMs]) => ({ identity, ageMs }));
}
