/** The balance and the usage of a workspace. */
import Joi from 'joi';
import { channels } from '../../../models/channels.js';
import { CreditPackage } from '../../../models/tables/credit-package.js';
import { spendingOf } from '../../../models/operations/billing/standing.js';
import { sumUsage, type UsageBy } from '../../../models/operations/workspaces/sum-usage.js';
import { toCredits } from '../../../models/rules/billing/credits.js';
import { endpoint } from '../../declare.js';
import { anyCredential, apiKeyOrJwt } from '../../http/endpoint.js';
import { presentUsage } from '../../present/present-usage.js';
import { named } from '../../http/schemas/json-schema.js';
import { bound, date, enumOf } from '../../http/schemas/schemas.js';
import { text } from '../../http/schemas/validation.js';
import { figures } from './figures.js';
import { periodOf } from '../period.js';

export const getBalanceEndpoint = endpoint({
  id: 'getBalance',
  tag: 'workspace',
  method: 'get',
  path: '/api/v1/balance',
  summary: 'Get the credit balance and the credits spent today',
  auth: anyCredential,
  response: named(
    'Balance',
    Joi.object({
      balance: Joi.number().required(),
      currency_of_credits: Joi.string().allow(null).required().description('Currency of the credit packages; null if none are for sale'),
      spend_today: Joi.number().required().description('Credits debited since midnight UTC, minus their refunds'),
      spend_limit_day: Joi.number().allow(null).required(),
    }),
  ),
  async handler({ caller }, { db }) {
    const [{ balance, spent_today, spend_limit_day }, [sold]] = await Promise.all([
      spendingOf(db, caller.workspaceId),
      CreditPackage.forSale(),
    ]);
    return {
      balance: toCredits(balance),
      currency_of_credits: sold?.currency ?? null,
      spend_today: toCredits(spent_today),
      spend_limit_day: spend_limit_day === null ? null : toCredits(spend_limit_day),
    };
  },
});

const lengths = { daysDefault: 30, daysMax: 92 };

interface UsageQuery {
  from?: Date;
  to?: Date;
  by: UsageBy;
}

const usageBy: readonly UsageBy[] = ['day', 'channel'];
const usagePart = named(
  'UsagePart',
  Joi.object({
    day: Joi.string().description('Day in UTC; present with `by=day`'),
    channel: enumOf('Channel', channels),
    ...figures,
  }),
);
const usageResponse = named(
  'Usage',
  Joi.object({
    from: date(),
    to: date(),
    by: Joi.string()
      .valid(...usageBy)
      .required(),
    ...figures,
    usage: Joi.array().items(usagePart).required(),
  }),
);

export const getUsageEndpoint = endpoint({
  id: 'getUsage',
  tag: 'workspace',
  method: 'get',
  path: '/api/v1/usage',
  summary: 'Get the messages and credits of a period, by day or channel',
  auth: apiKeyOrJwt('read_messages'),
  query: Joi.object<UsageQuery>({
    from: bound('first'),
    to: bound('last'),
    by: text()
      .valid(...usageBy)
      .default('day')
      .description('Whether `usage` has one entry for each day or for each channel'),
  }),
  costly: true, // up to two hundred thousand rows
  response: usageResponse,
  async handler({ caller, query: { by, ...given } }, { db }) {
    const period = periodOf(given, lengths);
    const parts = await sumUsage(db, caller.workspaceId, { ...period, by });
    return { from: period.from.toISOString(), to: period.to.toISOString(), by, ...presentUsage(parts, by) };
  },
});
