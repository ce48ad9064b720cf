/** Suppressions: recipients who must not get messages. */
import Joi from 'joi';
import { type Channel, channels } from '../../../models/channels.js';
import { addSuppression, removeSuppression } from '../../../models/operations/contacts/suppress.js';
import { LargeCounts } from '../../../models/flow/large-counts.js';
import { recipientKey } from '../../../models/rules/messages/recipient.js';
import { type SuppressionReason, suppressionReasons, suppressionSources } from '../../../models/rules/contacts/suppression.js';
import { mapRows } from '../../../models/rules/values/list-window.js';
import { Suppression, type SuppressionFilters } from '../../../models/tables/suppression.js';
import { endpoint, list } from '../../declare.js';
import { apiKeyOrJwt } from '../../http/endpoint.js';
import { presentSuppression } from '../../present/presenters.js';
import { dataOf, date, dateOrNull, id, idOrNull, inFuture, messageOnly, moment, enumOf } from '../../http/schemas/schemas.js';
import { named } from '../../http/schemas/json-schema.js';
import { recipientAbout, recipientInQuery, recipientOfChannel } from '../../http/schemas/recipients.js';
import { requiredText, text } from '../../http/schemas/validation.js';
import { successTexts } from '../../present/success-texts.js';

const auth = apiKeyOrJwt('manage_contacts');
const counts = new LargeCounts();

const suppressionResponse = named(
  'Suppression',
  Joi.object({
    id: id(),
    channel: enumOf('Channel', channels).required(),
    recipient: Joi.string().allow(null).required().description('Null after an erasure. The suppression stays in effect through a digest'),
    reason: enumOf('SuppressionReason', suppressionReasons).required(),
    source: enumOf('SuppressionSource', suppressionSources).required(),
    message_id: idOrNull(),
    expires_at: dateOrNull(),
    created_at: date(),
  }),
);
const oneSuppression = dataOf('suppression', suppressionResponse);

interface NewEntry {
  channel: Channel;
  recipient: string;
  reason?: SuppressionReason;
  expires_at?: Date;
}

export const createSuppressionEndpoint = endpoint({
  id: 'createSuppression',
  tag: 'suppressions',
  method: 'post',
  path: '/api/v1/suppressions',
  summary: 'Suppress a recipient on a channel',
  auth,
  body: Joi.object<NewEntry>({
    channel: enumOf('Channel', channels, requiredText()),
    recipient: requiredText().custom(recipientOfChannel).description(recipientAbout),
    reason: enumOf('SuppressionReason', suppressionReasons, text()).description('Default: manual'),
    expires_at: moment().custom(inFuture).description('Default: the suppression does not expire'),
  }).required(),
  response: oneSuppression,
  status: 201,
  async handler({ caller, origin, body: { reason = 'manual', expires_at = null, ...rest } }, { db }) {
    const entry = { workspace_id: caller.workspaceId, ...rest, reason, source: 'api' as const, expires_at };
    return { suppression: presentSuppression(await addSuppression(db, entry, origin)) };
  },
});

export const listSuppressionsEndpoint = list({
  id: 'listSuppressions',
  tag: 'suppressions',
  path: '/api/v1/suppressions',
  summary: 'List suppressions in effect, newest first',
  auth,
  name: 'suppressions',
  row: suppressionResponse,
  filters: Joi.object<SuppressionFilters>({
    channel: enumOf('Channel', channels, text()).description('Only suppressions on this channel'),
    recipient: recipientInQuery().empty('').description('Exact phone number, or e-mail address in any letter case'),
    reason: enumOf('SuppressionReason', suppressionReasons, text()).description('Only suppressions for this reason'),
  }),
  async find({ caller, filters: { recipient: wanted, ...filters }, window }) {
    // Addresses are compared without regard to letter case.
    const key = wanted === undefined ? undefined : recipientKey('email', wanted);
    const given = { recipient: key, ...filters };
    const counting = counts.of(caller.workspaceId, given);
    return mapRows(await Suppression.pageOf(caller.workspaceId, given, window, counting), presentSuppression);
  },
});

export const getSuppressionEndpoint = endpoint({
  id: 'getSuppression',
  tag: 'suppressions',
  method: 'get',
  path: '/api/v1/suppressions/:id',
  summary: 'Get a suppression',
  auth,
  response: oneSuppression,
  handler: async ({ caller, params }) => ({ suppression: presentSuppression(await Suppression.owned(caller.workspaceId, params.id)) }),
});

export const deleteSuppressionEndpoint = endpoint({
  id: 'deleteSuppression',
  tag: 'suppressions',
  method: 'delete',
  path: '/api/v1/suppressions/:id',
  summary: 'Remove a suppression; not possible if the recipient created it',
  auth,
  response: messageOnly,
  async handler({ caller, params, origin }, { db }) {
    await removeSuppression(db, caller.workspaceId, params.id, origin);
    return { message: successTexts.suppressionRemoved };
  },
});
