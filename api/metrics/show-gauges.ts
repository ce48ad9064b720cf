/** Brings the gauges of the whole service up to date before they are shown. */
import { currentTime, type Database } from '../../models/db/database.js';
import { clearServiceGauges, serviceGauges, showReading } from '../../models/metrics/catalogue.js';
import { observeClock } from '../../models/metrics/observe.js';
import { readServiceGauges } from '../../models/operations/watch/read-service-gauges.js';
import { seenWorkers } from '../../models/operations/watch/worker-heartbeats.js';
import { lastWatcherRun } from '../../models/operations/watch/watcher-runs.js';

/** How often a process asks the database. */
const cacheMs = 5_000;
/** How long a page waits for it: only briefly if there are recent values of an earlier page, which are shown again under load. */
const waitMsMax = { first: 2_000, later: 25 };
/** Below the minute of TidingsServiceUnread: Prometheus may scrape only once a minute. */
const recentMs = 30_000;

/**
 * Creates the function that `serveMetrics` calls before each page. While the database does not answer, the gauges have no values instead of old ones; only
 * the age of the last reading is shown.
 */
export function createGaugeReader(db: Database): () => Promise<void> {
  let inProgress: Promise<void> | undefined;
  let until = 0;
  let readAt = performance.now();
  let isKnown = false;
  const forget = () => {
    clearServiceGauges();
    isKnown = false;
  };
  const look = async () => {
    try {
      const [reading, run, workers] = await Promise.all([readServiceGauges(db), lastWatcherRun(db), seenWorkers(db)]);
      const begun = Date.now();
      observeClock(await currentTime(db), begun, Date.now());
      clearServiceGauges(); // from here on without a wait: a page that is made meanwhile would lack them
      if (reading !== undefined) showReading(reading.found);
      readAt = performance.now() - (reading?.age_seconds ?? 0) * 1000;
      // Before the first run, the age of the process: a watcher that never completes a run must be late as well.
      serviceGauges.watcherAge.set(run.age_seconds ?? Math.floor(process.uptime()));
      serviceGauges.watcherFailing.set(run.failing.length);
      serviceGauges.workersAlive.set(workers.alive);
      serviceGauges.workersLost.set(workers.lost);
      isKnown = true;
    } catch (error) {
      forget();
      throw error;
    } finally {
      until = performance.now() + cacheMs;
      inProgress = undefined;
    }
  };
  return async () => {
    if (performance.now() >= until) inProgress ??= look();
    const timer = new AbortController();
    const isRecent = isKnown && performance.now() - readAt < recentMs;
    try {
      if (inProgress !== undefined) await Promise.race([inProgress, tooLate(timer.signal, isRecent ? waitMsMax.later : waitMsMax.first)]);
    } finally {
      timer.abort();
      if (inProgress !== undefined && performance.now() - readAt >= recentMs) forget();
      serviceGauges.readAge.set((performance.now() - readAt) / 1000);
    }
  };
}

const tooLate = (signal: AbortSignal, ms: number) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => clearTimeout(timer));
  });
