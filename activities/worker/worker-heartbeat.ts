/** The heartbeat of one thread of a worker process. */
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Database } from '../../models/db/database.js';
import { observeClock } from '../../models/metrics/observe.js';
import { heartbeatMs, forgetOldHeartbeats, noteHeartbeat, noteEndOfHeartbeats } from '../../models/operations/watch/worker-heartbeats.js';
import type { Logger } from '../../models/process/logger.js';

/**
 * Makes the name of a worker process, which all its threads use. A restarted container has the host name and the process id of the one before,
 * so a random part tells them apart: the rows of a worker that crashed must stay.
 */
export const nameWorker = () => `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;

export interface Heartbeats {
  /** The time since the last heartbeat that was written. */
  silentMs(): number;
  /** Writes none until `resume`: the thread takes no work. */
  rest(): void;
  resume(): void;
  /** Stops them, and records that the thread has stopped. */
  end(): Promise<void>;
}

/** An answer that was lost is given up after half a minute. Meanwhile heartbeats go on, on two further connections at most. */
const inProgressMax = 3;

/**
 * Renews the row of this thread. A thread whose event loop is blocked renews nothing, like a dead one.
 *
 * The heartbeats are in PostgreSQL and not in Temporal: while a worker is idle, Temporal's list of pollers is renewed only once a minute, and
 * only newer servers have heartbeats of workers.
 * @param worker the name of the process
 * @param part names the thread within its process
 * @param everyMs the time from one heartbeat to the next
 */
export function startHeartbeats(db: Database, logger: Logger, worker: string, part: string, everyMs = heartbeatMs): Heartbeats {
  let lastAt = performance.now();
  let isFailing = false;
  let inProgress = 0;
  let isResting = false;
  const once = async () => {
    if (inProgress === inProgressMax || isResting) return;
    inProgress += 1;
    const sentAt = performance.now();
    try {
      const begun = Date.now();
      observeClock(await noteHeartbeat(db, worker, part), begun, Date.now());
      isFailing = false;
      lastAt = performance.now();
    } catch (err) {
      if (sentAt < lastAt) return; // a later one was written
      if (!isFailing) logger.warn({ err }, 'the heartbeat could not be written: /health may count this worker as lost');
      isFailing = true;
    } finally {
      inProgress -= 1;
    }
  };
  void once().then(() => forgetOldHeartbeats(db).catch(() => undefined));
  const clock = setInterval(() => void once(), everyMs).unref();
  return {
    silentMs: () => performance.now() - lastAt,
    rest: () => {
      isResting = true;
    },
    resume: () => {
      isResting = false;
      void once();
    },
    end: async () => {
      clearInterval(clock);
      await noteEndOfHeartbeats(db, worker, part).catch(() => undefined); // without it, the missing heartbeat shows the same later
    },
  };
}
