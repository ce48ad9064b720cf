/** Erasures: erase all data of a recipient. */
import Joi from 'joi';
import { channelsTo, someChannel } from '../../../models/channels.js';
import { beginErasure, findErasure } from '../../../models/operations/erasure/begin-erasure.js';
import { faultOfRecipient, recipientKey } from '../../../models/rules/messages/recipient.js';
import { endpoint } from '../../declare.js';
import { apiKeyOrJwt } from '../../http/endpoint.js';
import { named } from '../../http/schemas/json-schema.js';
import { dataOf, id } from '../../http/schemas/schemas.js';
import { requiredText, rule } from '../../http/schemas/validation.js';

const auth = apiKeyOrJwt('manage_contacts');

const erasureResponse = named(
  'Erasure',
  Joi.object({
    id: id(),
    status: Joi.string().valid('running', 'completed').required(),
    messages: Joi.number().integer().required().description('Messages erased so far'),
  }),
);
const oneErasure = dataOf('erasure', erasureResponse);

/** A channel whose recipients have addresses of this kind. */
const channelOf = (to: string) => channelsTo(to.includes('@') ? 'email' : 'phone')[0] ?? someChannel;

export const createErasureEndpoint = endpoint({
  id: 'createErasure',
  tag: 'erasures',
  method: 'post',
  path: '/api/v1/erasures',
  summary: 'Erase the data of a recipient: in messages, contacts and suppressions',
  auth,
  body: Joi.object<{ to: string }>({
    to: requiredText()
      .custom(rule((to: string) => faultOfRecipient(channelOf(to), to)))
      .description('E.164 phone number, or e-mail address'),
  }).required(),
  response: oneErasure,
  status: 202,
  async handler({ caller, body: { to }, origin }, { db, temporal }) {
    const erasure = await beginErasure(db, caller.workspaceId, recipientKey(channelOf(to), to), origin);
    temporal.wakeWatcher(); // until it runs, what becomes due is still sent to the recipient
    return { erasure };
  },
});

export const getErasureEndpoint = endpoint({
  id: 'getErasure',
  tag: 'erasures',
  method: 'get',
  path: '/api/v1/erasures/:id',
  summary: 'Get an erasure and its progress',
  auth,
  response: oneErasure,
  handler: async ({ caller, params }, { db }) => ({ erasure: await findErasure(db, caller.workspaceId, params.id) }),
});
