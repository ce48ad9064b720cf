/** The restrictions of an API key: expiry, addresses and channels. */
import Joi from 'joi';
import { type Channel, channels } from '../../../models/channels.js';
import { networkOf } from '../../../models/rules/values/networks.js';
import { inFuture, moment, nonEmptyEnumList } from '../../http/schemas/schemas.js';

const networksMax = 50;

export interface KeyLimits {
  expires_at?: Date;
  allowed_addresses?: string[];
  channels?: Channel[];
}

/** Reports one fault at most, so that a list of thousands costs little. */
const networks = (list: unknown[], helpers: Joi.CustomHelpers) => {
  const fault = (message: string, field = 'allowed_addresses') => helpers.error('contract', { text: message, field });
  if (list.length === 0) return fault('allowed_addresses must not be empty');
  if (list.length > networksMax) return fault(`allowed_addresses must have at most ${networksMax} items`);
  const given = list.map((item) => (typeof item === 'string' ? networkOf(item) : undefined));
  const wrong = given.findIndex((network) => typeof network !== 'string');
  if (wrong === -1) return [...new Set(given)];
  const field = `allowed_addresses[${wrong}]`;
  const what = given[wrong] === undefined ? 'a string' : 'an IP address or a network in CIDR notation';
  return fault(`${field} must be ${what}`, field);
};

/** Each restriction is optional. */
export const keyLimits = {
  expires_at: moment().custom(inFuture).description('Default: the key does not expire'),
  allowed_addresses: Joi.array()
    .empty(null)
    .custom(networks)
    .meta({ type: 'array', items: { type: 'string' }, minItems: 1, maxItems: networksMax })
    .description('Addresses and networks (CIDR) that may use the key. Default: all'),
  channels: nonEmptyEnumList('Channel', channels).description('Channels that the key may send on. Default: all'),
};

/** The restrictions in the body of a request. Other fields of the body are left out, also ones added later. */
export const limitsIn = (body: KeyLimits): KeyLimits =>
  Object.fromEntries(Object.keys(keyLimits).flatMap((field) => (field in body ? [[field, body[field as keyof KeyLimits]]] : [])));
