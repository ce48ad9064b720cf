/** Heartbeats of the workers: rows that they renew. Ages are by the database's clock. */
import { type Database, select } from '../../db/database.js';

/** Renews the heartbeat of one thread of a worker process. @returns the time by the database's clock */
export async function noteHeartbeat(db: Database, worker: string, part: string): Promise<Date> {
  const [row] = await select<{ now: Date }>(db, renew, [worker, part]);
  return row?.now ?? new Date();
}

/**
 * The time after a wait for the row: a heartbeat that waited writes no earlier time over that of a later one. It leaves `stopped_at`, because it may
 * come after `noteEndOfHeartbeats`. A worker that starts has a new name.
 */
const renew = `
  INSERT INTO worker_beats (worker, part, beat_at) VALUES ($1, $2, now())
  ON CONFLICT (worker, part) DO UPDATE SET beat_at = clock_timestamp() RETURNING clock_timestamp() AS now`;

/** Notes that a thread has stopped in the normal way. Its row stays, so that a service without any worker is recognized. */
export async function noteEndOfHeartbeats(db: Database, worker: string, part: string): Promise<void> {
  await select(db, 'UPDATE worker_beats SET stopped_at = now() WHERE worker = $1 AND part = $2', [worker, part]);
}

/** Deletes the rows of workers that stopped or died long ago. */
export async function forgetOldHeartbeats(db: Database): Promise<void> {
  await select(db, `DELETE FROM worker_beats WHERE beat_at < now() - interval '1 day'`);
}

/** The workers, as their heartbeats show them. */
export interface Workers {
  /** Worker processes with rows, including dead and stopped ones. 0: nothing is known. */
  known: number;
  /** All their threads have a recent heartbeat. */
  alive: number;
  /** No recent heartbeat, and not stopped in the normal way. */
  lost: number;
  /** The age of the newest heartbeat of a worker that has not stopped, in seconds; null if there is none. */
  age_seconds: number | null;
}

/** A worker renews its row every `heartbeatMs`. */
export const heartbeatMs = 4_000;
/** Two heartbeats may be missed. A dead worker must be detected within 15 s. */
const silenceSecondsMax = 11;
/** A dead worker has been replaced after this time, and is no longer reported. */
const lostSeconds = 600;

/** Reads the heartbeats. */
export async function seenWorkers(db: Database): Promise<Workers> {
  const [seen] = await select<Workers>(db, look, [silenceSecondsMax, lostSeconds]);
  return seen ?? { known: 0, alive: 0, lost: 0, age_seconds: null };
}

const look = `
  SELECT count(*)::integer AS known,
    count(*) FILTER (WHERE NOT stopped AND age <= $1)::integer AS alive,
    count(*) FILTER (WHERE NOT stopped AND age > $1 AND age <= $2)::integer AS lost,
    floor(min(age) FILTER (WHERE NOT stopped))::integer AS age_seconds
  FROM (
    SELECT extract(epoch FROM now() - min(beat_at)) AS age, bool_and(stopped_at IS NOT NULL) AS stopped
    FROM worker_beats GROUP BY worker
  ) workers`;
