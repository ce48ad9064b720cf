/** Optional delivery settings of a webhook: retry delays, rate, order and signature. */
import Joi from 'joi';
import { shortList } from '../../http/schemas/schemas.js';
import { rule, text } from '../../http/schemas/validation.js';

const delaysMax = 20;
const delaySecondsMax = 604_800;
const rateMax = 1_000;

const isDelay = (value: unknown) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= delaySecondsMax;
const delaysText = `{field} must be a list of at most ${delaysMax} whole numbers of seconds, each from 1 to ${delaySecondsMax}`;

const sitesMax = 10;
const sitesText = `{field} must be a list of at most ${sitesMax} https origins, such as https://app.example.com`;

/** An origin becomes part of a header, so it may have a name and a port only. */
const isSite = (value: unknown): boolean =>
  typeof value === 'string' &&
  /^https:\/\/[a-z\d-]+(\.[a-z\d-]+)*(:\d{1,5})?$/.test(value) &&
  URL.canParse(value) &&
  new URL(value).origin === value;

export const deliverySettings = {
  retry_delays: shortList(
    delaysMax,
    Joi.number().unsafe(),
    rule((list: unknown[]) => (list.length <= delaysMax && list.every(isDelay) ? null : delaysText)),
  )
    .empty()
    .allow(null)
    .description('Seconds to wait before each retry. Empty list: no retries. Null: the default retry delays')
    .meta({ type: ['array', 'null'], maxItems: delaysMax, items: { type: 'integer', minimum: 1, maximum: delaySecondsMax } }),
  rate: Joi.number()
    .unsafe()
    .allow(null)
    .custom(rule((value: number) => (value >= 1 && value <= rateMax ? null : `{field} must be from 1 to ${rateMax}`)))
    .description('Maximum attempts per second, including retries, replays, resends and tests. Null: as fast as the endpoint responds')
    .meta({ type: ['number', 'null'], minimum: 1, maximum: rateMax }),
  ordered: Joi.boolean()
    .empty(null)
    .description(
      'Deliver one event at a time, in order. A failing delivery blocks all later ones. Replays, resends and tests do not follow this order: new events can overtake what is replayed',
    ),
  asymmetric: Joi.boolean()
    .empty(null)
    .description('Also sign with an ed25519 key pair of this webhook, so that receivers can verify with its public key'),
  frame_ancestors: shortList(
    sitesMax,
    text().empty(),
    rule((list: unknown[]) => (list.length <= sitesMax && list.every(isSite) ? null : sitesText)),
  )
    .empty()
    .allow(null)
    .description('Origins of the sites that may show the portal of this webhook in a frame. Empty list or null: none')
    .meta({ type: ['array', 'null'], maxItems: sitesMax, items: { type: 'string', maxLength: 255, pattern: '^https://' } }),
};
