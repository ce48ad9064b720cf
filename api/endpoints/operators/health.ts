/** The health of this process and the services that it needs. */
import Joi from 'joi';
import { currentTime } from '../../../models/db/database.js';
import { canWrite } from '../../../models/operations/watch/can-write.js';
import { lastWatcherRun, watcherAgeSecondsMax, type WatcherRun } from '../../../models/operations/watch/watcher-runs.js';
import { seenWorkers, type Workers } from '../../../models/operations/watch/worker-heartbeats.js';
import type { Deps } from '../../deps.js';
import { endpoint } from '../../declare.js';
import { named } from '../../http/schemas/json-schema.js';
import { date } from '../../http/schemas/schemas.js';
import { Reply } from '../../http/reply.js';

const checkTimeoutMs = 2000;
/** How long the check of the queue waits for the time of the database. After that it uses the clock of this process. */
const clockTimeoutMs = 500;
const cacheMs = 1000;

const state = () => Joi.string().valid('ok', 'error').required();

const checks: Record<'database' | 'redis' | 'queue', (deps: Deps) => Promise<boolean>> = {
  database: ({ db }) => canWrite(db),
  redis: ({ limiter }) => limiter.isHealthy(),
  queue: async ({ db, temporal }) => temporal.hasWorker(await inTime(currentTime(db).then(Number), Date.now(), clockTimeoutMs)),
};

type Services = Record<keyof typeof checks, 'ok' | 'error'>;

interface Found {
  services: Services;
  watcher: WatcherRun & { status: 'ok' | 'error' };
  workers: Omit<Workers, 'known'> & { status: 'ok' | 'error' };
}

/** Health checks share a result for a short time, because load balancers check often. One entry per process. */
const recent = new WeakMap<Deps, { until: number; found: Promise<Found> }>();

const ageSeconds = () => Joi.number().integer().allow(null).required();
const watcherHealth = Joi.object({
  status: state().description('`error` when the watcher has not completed a run for three minutes'),
  age_seconds: ageSeconds().description(
    'Seconds since the last completed run; null before the first run and while the database is not available',
  ),
  failing: Joi.array().items(Joi.string()).required().description('Steps of that run that failed'),
});
const workersHealth = Joi.object({
  status: state().description('`error` when there is no recent heartbeat'),
  alive: Joi.number().integer().required().description('Workers with a recent heartbeat'),
  lost: Joi.number().integer().required().description('Workers that stopped or hung within the last ten minutes without a shutdown'),
  age_seconds: ageSeconds().description('Seconds since the newest heartbeat; null while no worker runs or the database is not available'),
});
const healthResponse = named(
  'Health',
  Joi.object({
    status: Joi.string().valid('ok', 'degraded').required(),
    timestamp: date(),
    services: named('ServicesHealth', Joi.object({ database: state(), redis: state(), queue: state() })).required(),
    watcher: named('WatcherHealth', watcherHealth).required(),
    workers: named('WorkersHealth', workersHealth).required(),
  }),
);

export const getHealthEndpoint = endpoint({
  id: 'getHealth',
  tag: 'health',
  method: 'get',
  path: '/health',
  summary: 'Get the health of the service: 200 if every component is ok, otherwise 503',
  auth: 'none',
  response: healthResponse,
  otherStatus: 503,
  envelope: false,
  async handler(_input, deps) {
    const found = await recentlyFound(deps);
    const isOk = [...Object.values(found.services), found.watcher.status, found.workers.status].every((one) => one === 'ok');
    const health = { status: isOk ? 'ok' : 'degraded', timestamp: new Date().toISOString(), ...found };
    return new Reply({ data: health }, { status: isOk ? 200 : 503 });
  },
});

function recentlyFound(deps: Deps): Promise<Found> {
  const known = recent.get(deps);
  if (known !== undefined && known.until > performance.now()) return known.found;
  const found = checkAll(deps);
  recent.set(deps, { until: performance.now() + cacheMs, found });
  return found;
}

async function checkAll(deps: Deps): Promise<Found> {
  const [entries, watcher, workers] = await Promise.all([
    Promise.all(Object.entries(checks).map(async ([name, check]) => [name, await within(check(deps))])),
    watcherOf(deps),
    workersOf(deps),
  ]);
  const services = Object.fromEntries(entries) as Services;
  // Heartbeats and runs of the watcher are rows: without writes they get old, although all processes live.
  if (services.database === 'error') return { services, watcher: { ...watcher, status: 'ok' }, workers: { ...workers, status: 'ok' } };
  // Temporal lists pollers for a minute after their end.
  return { services: workers.status === 'error' ? { ...services, queue: 'error' } : services, watcher, workers };
}

async function within(check: Promise<boolean>): Promise<'ok' | 'error'> {
  return (await inTime(check, false)) ? 'ok' : 'error';
}

/** The result of the check, or `otherwise` if it fails or takes too long. */
function inTime<T>(check: Promise<T>, otherwise: T, timeoutMs = checkTimeoutMs): Promise<T> {
  const tooLate = new Promise<T>((resolve) => setTimeout(resolve, timeoutMs, otherwise).unref());
  return Promise.race([check.catch(() => otherwise), tooLate]);
}

/** Reports the watcher as ok while the database is not available, and right after a start, before its first run. */
async function watcherOf({ db, startedAt }: Deps): Promise<Found['watcher']> {
  const run = await inTime<WatcherRun | null>(lastWatcherRun(db), null);
  if (run === null) return { status: 'ok', age_seconds: null, failing: [] };
  const age = Math.min(run.age_seconds ?? Number.POSITIVE_INFINITY, (performance.now() - startedAt) / 1000);
  return { status: age > watcherAgeSecondsMax ? 'error' : 'ok', ...run };
}

/** The workers are ok while the database is not available, and if none has ever sent a heartbeat: then Temporal's pollers alone decide. */
async function workersOf({ db }: Deps): Promise<Found['workers']> {
  const unknown: Workers = { known: 0, alive: 0, lost: 0, age_seconds: null };
  const { known, ...seen } = await inTime(seenWorkers(db), unknown);
  return { status: known > 0 && seen.alive === 0 ? 'error' : 'ok', ...seen };
}
