/** The overview of a workspace: what it sent, what became of it, how long its credits last, which webhooks fail. */
import Joi from 'joi';
import { channels } from '../../../models/channels.js';
import { invalidField } from '../../../models/errors.js';
import { toCredits } from '../../../models/rules/billing/credits.js';
import { failureCodes } from '../../../models/rules/messages/error-codes.js';
import { readOverview } from '../../../models/operations/workspaces/read-overview.js';
import { Workspace } from '../../../models/tables/workspace.js';
import { hourDays } from '../../../models/operations/workspaces/roll-up-changes.js';
import { endpoint } from '../../declare.js';
import { apiKeyOrJwt } from '../../http/endpoint.js';
import { daysLeft, presentOverview } from '../../present/present-overview.js';
import { named } from '../../http/schemas/json-schema.js';
import { bound, date, enumOf } from '../../http/schemas/schemas.js';
import { text } from '../../http/schemas/validation.js';
import { oneOfWords } from '../../http/schemas/words.js';
import { figures } from './figures.js';
import { dayMs, periodOf } from '../period.js';

const daysDefault = 7;
const daysMax = 366;
const units = ['hour', 'day'] as const;

interface OverviewQuery {
  from?: Date;
  to?: Date;
  by?: (typeof units)[number];
}

const part = named('OverviewPart', Joi.object({ at: date(), channel: enumOf('Channel', channels).required(), ...figures }));
const reason = named(
  'OverviewFailure',
  Joi.object({
    error_code: Joi.string().required().description(oneOfWords(failureCodes)),
    description: Joi.string().required().description('What the code means'),
    messages: Joi.number().integer().required(),
  }),
);
const milliseconds = () => Joi.number().integer().allow(null).required();

const overviewResponse = named(
  'Overview',
  Joi.object({
    from: date(),
    to: date(),
    by: Joi.string()
      .valid(...units)
      .required(),
    ...figures,
    delivery_p50_ms: milliseconds().description(
      'Median time from when a message is due to its delivery, accurate to 5 %; null without deliveries',
    ),
    delivery_p95_ms: milliseconds().description('95th percentile of the same time'),
    parts: Joi.array().items(part).required(),
    failures: Joi.array().items(reason).required().description('By error code, the most frequent first'),
    balance: Joi.number().required(),
    days_left: Joi.number()
      .allow(null)
      .required()
      .description(
        'How long the balance lasts at the pace of the last seven days, or since the sign-up if that is later; null if nothing was spent',
      ),
  }),
);

export const getOverviewEndpoint = endpoint({
  id: 'getOverview',
  tag: 'workspace',
  method: 'get',
  path: '/api/v1/overview',
  summary: 'Get what was sent, delivered, failed and spent in a period, by hour or day and channel',
  auth: apiKeyOrJwt('read_messages'),
  costly: true,
  query: Joi.object<OverviewQuery>({
    from: bound('first'),
    to: bound('last'),
    by: text()
      .valid(...units)
      .description('Unit of `parts`. Default: hour for at most two days, day for longer periods'),
  }),
  response: overviewResponse,
  async handler({ caller, query }, { db }) {
    const { by, ...period } = unitsOf(query);
    const lastDays = { from: new Date(Date.now() - daysDefault * dayMs), to: new Date() };
    const overview = await readOverview(db, caller.workspaceId, period, by);
    const lately = await readOverview(db, caller.workspaceId, lastDays, 'hour');
    const { created_at } = await Workspace.findByPk(caller.workspaceId, { attributes: ['created_at'], rejectOnEmpty: true });
    return {
      from: period.from.toISOString(),
      to: period.to.toISOString(),
      by,
      ...presentOverview(overview),
      balance: toCredits(caller.balance),
      days_left: daysLeft(caller.balance, lately, paceDays(created_at)),
    };
  },
});

/** The days in which the last credits were spent: a workspace that is minutes old has not had seven. */
const paceDays = (createdAt: Date) => Math.min(Math.max((Date.now() - createdAt.getTime()) / dayMs, 1), daysDefault);

/**
 * The period in whole units. Up to two days are shown by hour and longer periods by day, unless `by` says otherwise.
 * @throws AppError 400 when the period is too long, ends before it starts, or has no sums by hour
 */
function unitsOf({ by, ...given }: OverviewQuery): Required<OverviewQuery> {
  const { from, to } = periodOf(given, { daysDefault, daysMax });
  const hasHours = from.getTime() >= Date.now() - hourDays * dayMs;
  const isShort = to.getTime() - from.getTime() <= 2 * dayMs;
  const unit = by ?? (isShort && hasHours ? 'hour' : 'day');
  if (unit === 'hour' && !hasHours) throw invalidField('by', `by=hour is kept for ${hourDays} days`);
  return { from: startOf(from, unit), to, by: unit };
}

/** Sums are of whole hours and days (UTC). */
const startOf = (at: Date, unit: (typeof units)[number]) => new Date(Math.floor(at.getTime() / unitMs[unit]) * unitMs[unit]);
const unitMs = { hour: 3_600_000, day: dayMs };
