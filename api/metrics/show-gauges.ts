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
 * Creates the function that `serveMetrics` calls before each page. While the database does not answer, the gauges have no values instead of old ones;
 * only the age of the last reading is shown.
 */
export function createGaugeReader(db: Database): () => Promise<void> {
  const reader = new GaugeReader(db);
  return () => reader.show();
}

class GaugeReader {
  #inProgress: Promise<void> | undefined;
  #until = 0;
  #readAt = performance.now();
  #isKnown = false;

  constructor(private readonly db: Database) {}

  async show(): Promise<void> {
    if (performance.now() >= this.#until) this.#inProgress ??= this.#look();
    const waitMs = this.#isKnown && this.#ageMs < recentMs ? waitMsMax.later : waitMsMax.first;
    const timer = new AbortController();
    try {
      if (this.#inProgress !== undefined) await Promise.race([this.#inProgress, tooLate(timer.signal, waitMs)]);
    } finally {
      timer.abort();
      if (this.#inProgress !== undefined && this.#ageMs >= recentMs) this.#forget();
      serviceGauges.readAge.set(this.#ageMs / 1000);
    }
  }

  get #ageMs(): number {
    return performance.now() - this.#readAt;
  }

  async #look(): Promise<void> {
    const { db } = this;
    try {
      const [reading, run, workers] = await Promise.all([readServiceGauges(db), lastWatcherRun(db), seenWorkers(db)]);
      const begun = Date.now();
      observeClock(await currentTime(db), begun, Date.now());
      clearServiceGauges(); // from here on without a wait: a page that is made meanwhile would lack them
      if (reading !== undefined) showReading(reading.found);
      this.#readAt = performance.now() - (reading?.age_seconds ?? 0) * 1000;
      // Before the first run, the age of the process: a watcher that never completes a run must be late as well.
      serviceGauges.watcherAge.set(run.age_seconds ?? Math.floor(process.uptime()));
      serviceGauges.watcherFailing.set(run.failing.length);
      serviceGauges.workersAlive.set(workers.alive);
      serviceGauges.workersLost.set(workers.lost);
      this.#isKnown = true;
    } catch (error) {
      this.#forget();
      throw error;
    } finally {
      this.#until = performance.now() + cacheMs;
      this.#inProgress = undefined;
    }
  }

  #forget(): void {
    clearServiceGauges();
    this.#isKnown = false;
  }
}

const tooLate = (signal: AbortSignal, ms: number) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => clearTimeout(timer));
  });
