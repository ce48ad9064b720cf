/** Detects API and worker processes that are still running. A recovery cannot see their concurrent changes. */
import type { Connection } from '@temporalio/client';
import { currentTime, type Database } from '../../models/db/database.js';
import { otherConnections } from '../../models/operations/recovery/other-connections.js';
import { recentPollers } from '../outside/pollers.js';
import { queues } from '../../workflows/contract.js';

/**
 * Describes the processes that are connected to the database or have polled Temporal recently.
 * The pool must have run no two statements at the same time before: the query excludes only the one connection that it runs on.
 */
export async function stillRunning(db: Database, connection: Connection, namespace: string): Promise<string[]> {
  const connected = await otherConnections(db);
  const polled = await pollers(connection, namespace, (await currentTime(db)).getTime());
  return [
    ...connected.map(({ pid, client_addr }) => `a connection to the database from ${client_addr ?? 'this machine'} (backend ${pid})`),
    ...polled.map(({ identity, ageMs }) => `the worker ${identity}, which polled Temporal ${Math.round(ageMs / 1000)} s ago`),
  ];
}

/** The workers that have polled any task queue recently. */
async function pollers({ workflowService }: Connection, namespace: string, now: number): Promise<{ identity: string; ageMs: number }[]> {
  const newest = new Map<string, number>();
  for (const queue of Object.values(queues)) {
    for (const type of ['workflow', 'activity'] as const) {
      for (const { identity, ageMs } of await recentPollers(workflowService, namespace, queue, type, now)) {
        newest.set(identity, Math.min(ageMs, newest.get(identity) ?? Number.POSITIVE_INFINITY));
      }
    }
  }
  return [...newest].map(([identity, ageMs]) => ({ identity, ageMs }));
}
