/** API keys: made and revoked with a JWT. */
import Joi from 'joi';
import { ApiKey } from '../../models/api-key.js';
import { type Quota, withinQuota } from '../../models/operations/quotas/within-quota.js';
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
  refusals: [409],
  async handler({ caller: { workspaceId }, body }, { db, config }) {
    const wanted = { workspace_id: workspaceId, name: body.name, scopes: body.scopes ?? scopes };
    const quota: Quota = { workspaceId, of: 'apiKeys', most: config.quotas.apiKeys };
    const { row, key } = await withinQuota(db, quota, (transaction) => ApiKey.issue(config.secretKey, wanted, transaction));
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
  async handler({ caller, params }) {
    const row = await ApiKey.owned(caller.workspaceId, params.id);
    await row.deactivate();
    return { message: 'API key has been deactivated' };
  },
});
