/** API keys: made and revoked with a JWT. */
import Joi from 'joi';
import { ApiKey } from '../../models/api-key.js';
import { issueApiKey } from '../../models/operations/accounts/issue-api-key.js';
import { revokeApiKey } from '../../models/operations/accounts/revoke-api-key.js';
import { type Scope, scopes } from '../../models/rules/api-key.js';
import { endpoint } from '../endpoint.js';
import { presentApiKey, presentNewApiKey, presentPagination } from '../presenters.js';
import { date, dateOrNull, id, messageOnly, name, oneOrMoreOf, type Page, pageOf, pageQuery } from '../schemas.js';

const keyFields = {
  id: id(),
  name: Joi.string().required(),
  key_prefix: Joi.string().required(),
  scopes: Joi.array()
    .items(Joi.string().valid(...scopes))
    .required(),
  created_at: date(),
};

export const createApiKey = endpoint({
  id: 'api-keys.create',
  method: 'post',
  path: '/api/v1/api-keys',
  summary: 'Create an API key; it is displayed only once',
  auth: 'jwt',
  body: Joi.object<{ name: string; scopes?: Scope[] }>({ name: name(), scopes: oneOrMoreOf(scopes) }).required(),
  response: Joi.object({ ...keyFields, key: Joi.string().required(), warning: Joi.string().required() }),
  status: 201,
  async handler({ caller, body, origin }, { config, db }) {
    const wanted = { workspace_id: caller.workspaceId, name: body.name, scopes: body.scopes ?? scopes };
    const { row, key } = await issueApiKey(db, config.secretKey, wanted, origin);
    return presentNewApiKey(row, key);
  },
});

export const listApiKeys = endpoint({
  id: 'api-keys.list',
  method: 'get',
  path: '/api/v1/api-keys',
  summary: 'List API keys, newest first',
  auth: 'jwt',
  query: Joi.object<Page>(pageQuery),
  response: pageOf('api_keys', Joi.object({ ...keyFields, is_active: Joi.boolean().required(), last_used_at: dateOrNull() })),
  async handler({ caller, query }) {
    const { rows, total } = await ApiKey.ownedPage(caller.workspaceId, query);
    return { api_keys: rows.map(presentApiKey), pagination: presentPagination(total, query) };
  },
});

export const deleteApiKey = endpoint({
  id: 'api-keys.delete',
  method: 'delete',
  path: '/api/v1/api-keys/:id',
  summary: 'Deactivate an API key for good',
  auth: 'jwt',
  response: messageOnly,
  async handler({ caller, params, origin }, { db }) {
    await revokeApiKey(db, caller.workspaceId, params.id, origin);
    return { message: 'API key has been deactivated' };
  },
});
