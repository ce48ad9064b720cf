/** How an owner may want deliveries made: the optional fields of a webhook, with their checks. */
import Joi from 'joi';
import { fewOf } from '../../http/schemas.js';
import { rule } from '../../http/validation.js';

const delaysMax = 20;
const delaySecondsMax = 604_800;
const rateMax = 1_000;

const isDelay = (value: unknown) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= delaySecondsMax;
const delaysText = `{field} must be a list of at most ${delaysMax} whole numbers of seconds, each from 1 to ${delaySecondsMax}`;

/** What is undefined stays as it is; null goes back to the usual. */
export interface CarriageFields {
  retry_delays?: number[] | null;
  rate?: number | null;
  ordered?: boolean;
  asymmetric?: boolean;
}

export const carriageFields = {
  retry_delays: fewOf(
    delaysMax,
    Joi.number().unsafe(),
    rule((list: unknown[]) => (list.length <= delaysMax && list.every(isDelay) ? null : delaysText)),
  )
    .empty()
    .allow(null)
    .description('Seconds before each further attempt; an empty list: one attempt only. Null: the default ladder')
    .meta({ type: ['array', 'null'], maxItems: delaysMax, items: { type: 'integer', minimum: 1, maximum: delaySecondsMax } }),
  rate: Joi.number()
    .unsafe()
    .allow(null)
    .custom(rule((value: number) => (value >= 1 && value <= rateMax ? null : `{field} must be from 1 to ${rateMax}`)))
    .description('Deliveries a second at most. Null: as fast as the endpoint answers')
    .meta({ type: ['number', 'null'], minimum: 1, maximum: rateMax }),
  ordered: Joi.boolean()
    .empty(null)
    .description('One delivery at a time, in the order of the events: one that fails holds up all that come after it'),
  asymmetric: Joi.boolean()
    .empty(null)
    .description('Sign with an ed25519 key pair of this webhook too: whoever verifies needs its public key only'),
};
