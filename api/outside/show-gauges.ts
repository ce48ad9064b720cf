/** Brings the gauges of the whole service up to date before they are shown. */
import { currentTime, type Database } from '../../models/db/database.js';
import { serviceGauges } from '../../models/metrics/catalogue.js';
import { noteClock } from '../../models/metrics/observe.js';
import { type Found, readServiceGauges } from '../../models/operations/watch/service-gauges.js';
import { lastRound } from '../../models/operations/watch/watcher-rounds.js';
import { seenWorkers } from '../../models/operations/watch/worker-beats.js';

/** How often a process asks the database. */
const cacheMs = 5_000;
/** How long a page waits for it: shortly if there are values of an earlier page, which are shown once more under load. */
const waitMsMax = { first: 2_000, later: 25 };

/**
 * Makes what `serveMetrics` calls before each page. While the database is away the gauges have no values, and not old ones, but for the age of the
 * last reading.
 */
export function createGaugeReader(db: Database): () => Promise<void> {
  let underWay: Promise<void> | undefined;
  let until = 0;
  let readAt = Date.now();
  let isKnown = false;
  const look = async () => {
    try {
      const [reading, round, workers] = await Promise.all([readServiceGauges(db), lastRound(db), seenWorkers(db)]);
      const begun = Date.now();
      noteClock(await currentTime(db), begun, Date.now());
      clear(); // from here on without a wait: a page that is made meanwhile would lack them
      if (reading !== undefined) show(reading.found);
      readAt = Date.now() - (reading?.age_seconds ?? 0) * 1000;
      set('watcherAge', round.age_seconds);
      set('watcherFailing', round.failing.length);
      set('workersAlive', workers.alive);
      set('workersLost', workers.lost);
      isKnown = true;
    } catch (error) {
      clear();
      isKnown = false;
      throw error;
    } finally {
      until = Date.now() + cacheMs;
      underWay = undefined;
    }
  };
  return async () => {
    if (Date.now() >= until) underWay ??= look();
    const timer = new AbortController();
    try {
      if (underWay !== undefined) await Promise.race([underWay, tooLate(timer.signal, isKnown ? waitMsMax.later : waitMsMax.first)]);
    } finally {
      timer.abort();
      serviceGauges.readAge.set((Date.now() - readAt) / 1000);
    }
  };
}

const tooLate = (signal: AbortSignal, ms: number) =>
  new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => clearTimeout(timer));
  });

function clear(): void {
  for (const gauge of Object.values(serviceGauges)) gauge.reset();
  for (const name of unlabelled) serviceGauges[name].remove();
}

/** Without a value they are not 0 but unknown. */
const unlabelled = Object.keys(serviceGauges).filter(
  (name) => !['openMessages', 'oldestMessage', 'inbox', 'webhooks'].includes(name),
) as Exclude<keyof typeof serviceGauges, 'openMessages' | 'oldestMessage' | 'inbox' | 'webhooks'>[];

/** @param value undefined: a process of another version took the reading */
function set(name: (typeof unlabelled)[number], value: number | null | undefined): void {
  if (typeof value === 'number') serviceGauges[name].set(value);
}

function show(found: Found): void {
  for (const { status, reason, count, seconds } of found.open_messages) {
    serviceGauges.openMessages.set({ status, reason }, count);
    serviceGauges.oldestMessage.set({ status, reason }, seconds);
  }
  set('openComplete', Number(found.open_complete));
  set('groupsOverdue', found.groups_overdue);
  set('groupsOverdueAge', found.groups_overdue_seconds ?? 0);
  serviceGauges.inbox.set({ state: 'waiting' }, found.inbox_waiting);
  serviceGauges.inbox.set({ state: 'unmatched' }, found.inbox_unmatched);
  set('inboxAge', found.inbox_seconds ?? 0);
  serviceGauges.webhooks.set({ state: 'active' }, found.webhooks_active);
  serviceGauges.webhooks.set({ state: 'open' }, found.webhooks_open);
  serviceGauges.webhooks.set({ state: 'disabled' }, found.webhooks_disabled);
  set('deliveriesOverdue', found.deliveries_overdue_seconds ?? 0);
  set('oldestDelivery', found.oldest_delivery_seconds ?? 0);
  set('openBatches', found.batches_open);
  set('openPages', found.pages_open);
  set('mailsUnsent', found.mails_unsent);
  set('auditDifferences', found.audit_differences);
  set('auditAge', found.audit_seconds);
}
