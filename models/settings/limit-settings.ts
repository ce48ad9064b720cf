/** Settings of the limits of a workspace, a key and an address; see docs/limits.md. */
import Joi from 'joi';
import type { CheckedSettings } from './setting-kinds.js';

const rateLimit = Joi.string()
  .pattern(/^[1-9]\d{0,6}\/[1-9]\d{0,5}$/)
  .messages({ 'string.pattern.base': '{{#label}} must be count/seconds, for example 100/60' });
const quota = (max: number) => Joi.number().integer().min(1).max(max);

export const limitSettings: Record<string, Joi.Schema> = {
  RATE_LIMIT_API: rateLimit
    .default('100/60')
    .description('requests per API key, and per address for requests without a credential, as count/seconds'),
  RATE_LIMIT_JWT: rateLimit.default('100/60').description('requests per workspace with a JWT'),
  RATE_LIMIT_BULK: rateLimit.default('10/60').description('bulk sends, and previews of them, per API key'),
  RATE_LIMIT_AUTH: rateLimit.default('5/900').description('requests per address and route under /auth; four times as many per IPv6 /48'),
  RATE_LIMIT_LOGIN: rateLimit
    .default('600/60')
    .description('password checks per period for clients that have not logged in before and have not just reset the password'),
  RATE_LIMIT_WORKSPACE: rateLimit.description(
    'requests of all keys and sessions of a workspace together, as count/seconds (default: ten times RATE_LIMIT_API)',
  ),
  MAX_API_KEYS: quota(100_000).default(100).description('active API keys that a workspace can have'),
  MAX_WEBHOOKS: quota(10_000).default(25).description('webhooks that a workspace can have'),
  MAX_REPLAYS: quota(1_000).default(2).description('running replays per workspace'),
  MAX_OPEN_BATCHES: quota(100_000).default(50).description('open batches per workspace'),
  MAX_STREAMS: quota(10_000).default(20).description('streams of events that a workspace can have open'),
  MAX_PLACEHOLDERS: quota(100_000).default(200).description('placeholders that a content can have, all its texts together'),
  SHARED_GROUP_WEBHOOKS: Joi.number()
    .integer()
    .min(0)
    .max(10_000)
    .default(5)
    .description('above this number of active webhooks, a workspace shares no workflow with others'),
  MAX_CONNECTIONS: Joi.number().integer().min(10).max(1_000_000).default(10_000).description('connections that one API process takes'),
  MAX_CONNECTIONS_ADDRESS: Joi.number()
    .integer()
    .min(1)
    .max(1_000_000)
    .default(1_000)
    .description('connections that it takes from one address; those of TRUSTED_PROXIES are not counted'),
};

/** A fixed-window limit: a number of points within a number of seconds. */
export interface RateLimit {
  points: number;
  seconds: number;
}

type RateLimits = Record<'api' | 'jwt' | 'bulk' | 'auth' | 'login' | 'workspace', RateLimit>;

/** The quotas that count rows of a workspace. One more is refused with `limit_reached`, see `within-quota.ts`. */
export interface CountedQuotas {
  apiKeys: number;
  webhooks: number;
  replays: number;
  openBatches: number;
  streams: number;
}

/** All quotas of a workspace. */
export interface Quotas extends CountedQuotas {
  placeholders: number;
}

export interface Limits {
  rateLimits: RateLimits;
  quotas: Quotas;
  /** If a workspace has more active webhooks than this, its sends share no workflow with those of others. */
  sharedGroupWebhooks: number;
  /** Connections of one process: in total, and from one address. */
  connections: { max: number; ofAddress: number };
}

export const limitsOf = (value: CheckedSettings): Limits => ({
  rateLimits: rateLimitsOf(value),
  quotas: quotasOf(value),
  sharedGroupWebhooks: value.SHARED_GROUP_WEBHOOKS,
  connections: { max: value.MAX_CONNECTIONS, ofAddress: value.MAX_CONNECTIONS_ADDRESS },
});

const quotasOf = (value: CheckedSettings): Quotas => ({
  apiKeys: value.MAX_API_KEYS,
  webhooks: value.MAX_WEBHOOKS,
  replays: value.MAX_REPLAYS,
  openBatches: value.MAX_OPEN_BATCHES,
  streams: value.MAX_STREAMS,
  placeholders: value.MAX_PLACEHOLDERS,
});

function readLimit(text: string): RateLimit {
  const [points = 0, seconds = 0] = text.split('/').map(Number);
  return { points, seconds };
}

function rateLimitsOf(value: CheckedSettings): RateLimits {
  const api = readLimit(value.RATE_LIMIT_API);
  const workspace = value.RATE_LIMIT_WORKSPACE as string | undefined;
  return {
    api,
    jwt: readLimit(value.RATE_LIMIT_JWT),
    bulk: readLimit(value.RATE_LIMIT_BULK),
    auth: readLimit(value.RATE_LIMIT_AUTH),
    login: readLimit(value.RATE_LIMIT_LOGIN),
    workspace: workspace === undefined ? { ...api, points: 10 * api.points } : readLimit(workspace),
  };
}
