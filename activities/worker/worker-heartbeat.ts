/** The heartbeat of one thread of a worker process. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Database } from '../../models/db/database.js';
import { noteClock } from '../../models/metrics/observe.js';
import { heartbeatMs, forgetOldHeartbeats, noteHeartbeat, noteEndOfHeartbeats } from '../../models/operations/watch/worker-heartbeats.js';
import type { Logger } from '../../models/process/logger.js';

/**
 * Makes the name of a worker process, which all its threads use. A restarted container has the host name and the process id of the one before,
 * so a random part tells them apart: the rows of a worker that crashed must stay.
 */
export const nameWorker = () => `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;

/**
 * Renews the row of this thread. A thread whose event loop is blocked renews nothing, like a dead one.
 *
 * The heartbeats are in PostgreSQL and not in Temporal: while a worker is idle, Temporal's list of pollers is renewed only once a minute, and
 * only newer servers have heartbeats of workers.
 * @param worker the name of the process
 * @param part names the thread within its process
 * @returns a function that stops the heartbeats and records that the thread has stopped
 */
export function startHeartbeats(db: Database, logger: Logger, worker: string, part: string): () => Promise<void> {
  let isFailing = false;
  let isBusy = false;
  const once = async () => {
    if (isBusy) return;
    isBusy = true;
    try {
      const begun = Date.now();
      noteClock(await noteHeartbeat(db, worker, part), begun, Date.now());
      isFailing = false;
    } catch (err) {
      if (!isFailing) logger.warn({ err }, 'the heartbeat could not be written');
      isFailing = true;
    } finally {
      isBusy = false;
    }
  };
  void once().then(() => forgetOldHeartbeats(db).catch(() => undefined));
  const clock = setInterval(() => void once(), heartbeatMs).unref();
  return async () => {
    clearInterval(clock);
    await noteEndOfHeartbeats(db, worker, part).catch(() => undefined); // without it, the missing heartbeat shows the same later
  };
}
