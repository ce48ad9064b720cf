/** Whether everything that this process needs is there. */
import Joi from 'joi';
import { select } from '../../models/database.js';
import type { Deps } from '../deps.js';
import { endpoint, Reply } from '../endpoint.js';

const checkTimeoutMs = 2000;
const cacheMs = 1000;

const state = () => Joi.string().valid('ok', 'error').required();

const checks: Record<'database' | 'redis' | 'queue', (deps: Deps) => Promise<boolean>> = {
  database: async ({ db }) => (await select(db, 'SELECT 1 AS one')).length === 1,
  redis: ({ limiter }) => limiter.isHealthy(),
  queue: ({ temporal }) => temporal.hasWorker(),
};

type Services = Record<keyof typeof checks, 'ok' | 'error'>;
/** Probes come often and from several places; they share what was found a moment ago. One entry a process. */
const found = new WeakMap<Deps, { until: number; services: Promise<Services> }>();

export const getHealth = endpoint({
  id: 'health.get',
  method: 'get',
  path: '/health',
  summary: 'Health of the service: 200 when all is ok, else 503',
  auth: 'none',
  response: Joi.object({
    status: Joi.string().valid('ok', 'degraded').required(),
    timestamp: Joi.string().isoDate().required(),
    services: Joi.object({ database: state(), redis: state(), queue: state() }).required(),
  }),
  alsoAs: 503,
  envelope: false,
  async handler(_input, deps) {
    const services = await lookAround(deps);
    const isOk = Object.values(services).every((service) => service === 'ok');
    const health = { status: isOk ? 'ok' : 'degraded', timestamp: new Date().toISOString(), services };
    return new Reply(health, { status: isOk ? 200 : 503 });
  },
});

function lookAround(deps: Deps): Promise<Services> {
  const known = found.get(deps);
  if (known !== undefined && known.until > Date.now()) return known.services;
  const services = Promise.all(Object.entries(checks).map(async ([name, check]) => [name, await within(check(deps))])).then(
    (entries) => Object.fromEntries(entries) as Services,
  );
  found.set(deps, { until: Date.now() + cacheMs, services });
  return services;
}

async function within(check: Promise<boolean>): Promise<'ok' | 'error'> {
  const tooLate = new Promise<boolean>((resolve) => setTimeout(resolve, checkTimeoutMs, false).unref());
  const isOk = await Promise.race([check.catch(() => false), tooLate]);
  return isOk ? 'ok' : 'error';
}
