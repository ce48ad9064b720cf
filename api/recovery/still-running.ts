/** Detects API and worker processes that are still running. A recovery cannot see their concurrent changes. */
import type { Connection } from '@temporalio/client';
import { type Database, select } from '../../models/db/database.js';
import { queues } from '../../workflows/contract.js';

/** An idle poll lasts up to a minute. A worker whose last poll is longer ago has ended. */
const pollerAgeMsMax = 70_000;
/** `temporal.api.enums.v1.TaskQueueType`: workflow tasks and activity tasks. */
const taskQueueTypes = [1, 2];

/**
 * Describes the processes that are connected to the database or have polled Temporal recently.
 * This must be the first statement of the pool, because the query excludes only the one connection that it runs on.
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

async function pollers(connection: Connection, namespace: string): Promise<{ identity: string; ageMs: number }[]> {
  const newest = new Map<string, number>();
  for (const name of Object.values(queues)) {
    for (const taskQueueType of taskQueueTypes) {
      const described = await connection.workflowService.describeTaskQueue({ namespace, taskQueue: { name }, taskQueueType });
      for (const { identity, lastAccessTime } of described.pollers ?? []) {
        const ageMs = Math.max(0, Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1000);
        newest.set(identity ?? '', Math.min(ageMs, newest.get(identity ?? '') ?? Number.POSITIVE_INFINITY));
      }
    }
  }
  return [...newest].flatMap(([identity, ageMs]) => (ageMs < pollerAgeMsMax ? [{ identity, ageMs }] : []));
}
