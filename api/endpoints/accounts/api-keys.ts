/** API keys: create, list, rotate and revoke them with a JWT. */
import Joi from 'joi';
import { ApiKey } from '../../../models/tables/api-key.js';
import { issueApiKey } from '../../../models/operations/api-keys/issue-api-key.js';
import { rotateApiKey } from '../../../models/operations/api-keys/rotate-api-key.js';
import { revokeApiKey } from '../../../models/operations/api-keys/revoke-api-key.js';
import { type Scope, scopes } from '../../../models/rules/accounts/api-key.js';
import { mapRows } from '../../../models/rules/values/list-window.js';
import { endpoint, list } from '../../declare.js';
import { presentApiKey, presentKeyLimits, presentNewApiKey } from '../../present/presenters.js';
import { startMail } from '../../outside/start-mail.js';
import { type KeyLimits, keyLimits, limitsIn } from './key-fields.js';
import { overlapHours } from '../../http/schemas/whole-number.js';
import { date, dateOrNull, id, messageOnly, name, nonEmptyEnumList, textOrNull, enumOf } from '../../http/schemas/schemas.js';
import { named } from '../../http/schemas/json-schema.js';
import { channels } from '../../../models/channels.js';
import { successTexts } from '../../present/success-texts.js';

const keyFields = {
  id: id(),
  name: Joi.string().required(),
  key_prefix: Joi.string().required(),
  scopes: Joi.array().items(enumOf('Scope', scopes)).required(),
  created_at: date(),
};

const limitFields = {
  expires_at: dateOrNull(),
  allowed_addresses: Joi.array().items(Joi.string()).allow(null).required(),
  channels: Joi.array().items(enumOf('Channel', channels)).allow(null).required(),
};

const newKeyResponse = named(
  'CreatedApiKey',
  Joi.object({
    ...keyFields,
    key: Joi.string().required(),
    warning: Joi.string().required(),
    ...Object.fromEntries(Object.entries(limitFields).map(([field, schema]) => [field, schema.optional()])),
  }),
);

const keyResponse = named(
  'ApiKey',
  Joi.object({
    ...keyFields,
    ...limitFields,
    is_active: Joi.boolean().required(),
    last_used_at: dateOrNull(),
    last_used_address: textOrNull(),
  }),
);

export const createApiKeyEndpoint = endpoint({
  id: 'createApiKey',
  tag: 'api-keys',
  method: 'post',
  path: '/api/v1/api-keys',
  summary: 'Create an API key; the key is displayed only once',
  auth: 'jwt',
  body: Joi.object<{ name: string; scopes?: Scope[] } & KeyLimits>({
    name: name(),
    scopes: nonEmptyEnumList('Scope', scopes),
    ...keyLimits,
  }).required(),
  response: newKeyResponse,
  status: 201,
  async handler({ caller, body, origin }, deps) {
    const { name: keyName, scopes: keyScopes = scopes } = body;
    const limits = limitsIn(body);
    const wanted = { workspace_id: caller.workspaceId, name: keyName, scopes: keyScopes, ...limits };
    const { row, key, mailId } = await issueApiKey(deps.db, deps.config, wanted, origin);
    startMail(deps, mailId);
    // The restrictions are added to the response only if the request contained some, so that its usual shape stays as documented.
    return Object.keys(limits).length === 0 ? presentNewApiKey(row, key) : { ...presentNewApiKey(row, key), ...presentKeyLimits(row) };
  },
});

export const rotateApiKeyEndpoint = endpoint({
  id: 'rotateApiKey',
  tag: 'api-keys',
  method: 'post',
  path: '/api/v1/api-keys/:id/rotate',
  summary: 'Replace an API key. The new key is displayed only once; the old one works until the overlap ends',
  auth: 'jwt',
  body: Joi.object<{ overlap_hours: number }>({ overlap_hours: overlapHours }).required(),
  response: newKeyResponse,
  status: 201,
  async handler({ caller: { workspaceId }, params, body, origin }, deps) {
    const rotation = { workspaceId, id: params.id, overlapHours: body.overlap_hours };
    const { row, key, mailId } = await rotateApiKey(deps.db, deps.config, rotation, origin);
    startMail(deps, mailId);
    return { ...presentNewApiKey(row, key), ...presentKeyLimits(row) };
  },
});

export const listApiKeysEndpoint = list({
  id: 'listApiKeys',
  tag: 'api-keys',
  path: '/api/v1/api-keys',
  summary: 'List API keys, newest first',
  auth: 'jwt',
  name: 'api_keys',
  row: keyResponse,
  find: async ({ caller, window }) => mapRows(await ApiKey.ownedPage(caller.workspaceId, window), presentApiKey),
});

export const deactivateApiKeyEndpoint = endpoint({
  id: 'deactivateApiKey',
  tag: 'api-keys',
  method: 'delete',
  path: '/api/v1/api-keys/:id',
  summary: 'Deactivate an API key permanently',
  auth: 'jwt',
  response: messageOnly,
  async handler({ caller, params, origin }, { db }) {
    await revokeApiKey(db, { workspaceId: caller.workspaceId, id: params.id }, origin);
    return { message: successTexts.keyDeactivated };
  },
});
