/** Webhooks: URLs that receive events. */
import Joi from 'joi';
import { deleteWebhook } from '../../../models/operations/webhooks/delete-webhook.js';
import { registerWebhook } from '../../../models/operations/webhooks/register-webhook.js';
import { updateWebhook } from '../../../models/operations/webhooks/update-webhook.js';
import { eventDescriptions, type EventType, eventTypes } from '../../../models/rules/webhooks/events.js';
import { mapRows } from '../../../models/rules/values/list-window.js';
import { faultOfWebhookUrl, httpsText } from '../../../models/rules/webhooks/webhook-url.js';
import { type DeliverySettings, newKeyPair, Webhook } from '../../../models/tables/webhook.js';
import type { Deps } from '../../deps.js';
import { endpoint, list } from '../../declare.js';
import { apiKeyOrJwt, webhooksOrPortal } from '../../http/endpoint.js';
import { dataOf, messageOnly, nonEmptyEnumList, enumOf } from '../../http/schemas/schemas.js';
import { named } from '../../http/schemas/json-schema.js';
import { atMostCharacters, type Checked, requiredText, rule, text } from '../../http/schemas/validation.js';
import { presentAsymmetric, presentNewWebhook, presentWebhook } from '../../present/webhook-presenters.js';
import { assertUsableUrl } from '../../outside/webhook-target.js';
import { storeNow, successTexts } from '../../present/success-texts.js';
import { deliverySettings } from './webhook-fields.js';
import { createdResponse, webhookResponse } from './webhook-schemas.js';

const auth = apiKeyOrJwt('manage_webhooks');
const oneWebhook = dataOf('webhook', webhookResponse);
const eventType = named(
  'EventTypeInfo',
  Joi.object({ type: enumOf('EventType', eventTypes).required(), description: Joi.string().required() }),
);

const https = rule((url: string) => (/^https:/i.test(url) ? null : httpsText));
const bodyFields = {
  url: text().messages({ 'string.empty': httpsText }).custom(https).meta({ format: 'uri' }),
  events: nonEmptyEnumList('EventType', eventTypes),
  description: text().empty().allow('', null).custom(atMostCharacters(500)).meta({ maxLength: 500 }),
  ...deliverySettings,
};

/**
 * Adds the fault of the URL's text to those of the other fields. The addresses of its host are checked later, because other refusals need no
 * DNS look-up.
 */
async function withUrlFault<Body extends { url?: string }>(
  checked: Checked<Body>,
  { config }: Pick<Deps, 'config'>,
): Promise<Checked<Body>> {
  const { value, faults } = checked;
  if (typeof value.url !== 'string' || faults.some(({ field }) => field === 'url')) return checked;
  const message = faultOfWebhookUrl(value.url, config);
  return message === null ? checked : { ...checked, faults: [{ field: 'url', message }, ...faults] };
}

interface WebhookBody extends DeliverySettings {
  url: string;
  events: EventType[];
  description?: string | null;
}

const addressesFor = (workspaceId: string, resolve: Deps['resolve']) => async (host: string) =>
  (await resolve(host, workspaceId)).map(({ address }) => address);

/** Wakes the retrier of the webhook. If that fails, the watcher does it within a minute. */
const wakeRetrier = ({ temporal, logger }: Pick<Deps, 'temporal' | 'logger'>, id: string, workspaceId: string): Promise<void> =>
  temporal
    .wakeRetrier(id, workspaceId)
    .catch((err: unknown) => logger.warn({ err, webhook_id: id }, 'the retrier of the webhook was not woken; the watcher will do it'));

export const createWebhookEndpoint = endpoint({
  id: 'createWebhook',
  tag: 'webhooks',
  method: 'post',
  path: '/api/v1/webhooks',
  summary: 'Subscribe a URL to events; the secret is displayed only once',
  auth,
  body: Joi.object<WebhookBody>({
    ...bodyFields,
    url: requiredText().custom(https).meta({ format: 'uri' }),
    events: bodyFields.events.required(),
  }).required(),
  examine: withUrlFault,
  response: createdResponse,
  status: 201,
  async handler({ caller: { workspaceId }, origin, body: { url, events, description, ...settings } }, { db, config, resolve }) {
    // Before the quota, as every fault of the request. The look-ups of a workspace are limited, and an update makes one at the quota, too.
    await assertUsableUrl(url, config, addressesFor(workspaceId, resolve));
    const wanted = { workspace_id: workspaceId, url, events, description: description || null, ...settings };
    const { row, secret } = await registerWebhook(db, config, wanted, origin);
    return {
      webhook: {
        ...presentNewWebhook(row),
        ...settings,
        ...(settings.asymmetric === undefined ? {} : presentAsymmetric(row)),
        ...(settings.frame_ancestors === undefined ? {} : { frame_ancestors: row.frame_ancestors ?? [] }),
      },
      secret,
      warning: storeNow.secret,
    };
  },
});

export const listWebhooksEndpoint = list({
  id: 'listWebhooks',
  tag: 'webhooks',
  path: '/api/v1/webhooks',
  summary: 'List webhooks, newest first',
  auth,
  name: 'webhooks',
  row: webhookResponse,
  find: async ({ caller, window }) => mapRows(await Webhook.ownedPage(caller.workspaceId, window), presentWebhook),
});

export const listEventTypesEndpoint = endpoint({
  id: 'listEventTypes',
  tag: 'webhooks',
  method: 'get',
  path: '/api/v1/webhooks/events',
  summary: 'List the event types that a webhook can subscribe to',
  auth,
  response: named('EventTypeList', Joi.object({ events: Joi.array().items(eventType).required() })),
  handler: async () => ({ events: eventTypes.map((type) => ({ type, description: eventDescriptions[type] })) }),
});

export const getWebhookEndpoint = endpoint({
  id: 'getWebhook',
  tag: 'webhooks',
  method: 'get',
  path: '/api/v1/webhooks/:id',
  summary: 'Get a webhook',
  auth: webhooksOrPortal,
  response: oneWebhook,
  handler: async ({ caller, params }) => ({ webhook: presentWebhook(await Webhook.owned(caller.workspaceId, params.id)) }),
});

export const updateWebhookEndpoint = endpoint({
  id: 'updateWebhook',
  tag: 'webhooks',
  method: 'put',
  path: '/api/v1/webhooks/:id',
  summary: 'Change a webhook; omitted fields are unchanged',
  auth,
  body: Joi.object<Partial<WebhookBody> & { is_active?: boolean }>({ ...bodyFields, is_active: Joi.boolean().empty(null) }).required(),
  examine: withUrlFault,
  response: oneWebhook,
  async handler(
    { caller, params, origin, body: { url, events, description, asymmetric, ...others } },
    { db, config, temporal, logger, resolve },
  ) {
    if (url !== undefined) await assertUsableUrl(url, config, addressesFor(caller.workspaceId, resolve));
    const makeKeyPair = asymmetric === true ? (webhookId: string) => newKeyPair(config.secretKey, webhookId) : null;
    const keyPair = asymmetric === undefined ? undefined : makeKeyPair;
    const change = { ...others, url, events, description: description === '' ? null : description, keyPair };
    const webhook = await updateWebhook(db, caller.workspaceId, params.id, change, origin);
    // A new URL or an activation makes pending deliveries due now, a deactivation holds them. An active webhook may have another rate or order.
    if (url !== undefined || others.is_active !== undefined || webhook.is_active) {
      const woken = wakeRetrier({ temporal, logger }, webhook.id, caller.workspaceId);
      if (webhook.is_active) await woken; // an inactive webhook holds its deliveries already, so nothing depends on the retrier
    }
    return { webhook: presentWebhook(webhook) };
  },
});

export const deleteWebhookEndpoint = endpoint({
  id: 'deleteWebhook',
  tag: 'webhooks',
  method: 'delete',
  path: '/api/v1/webhooks/:id',
  summary: 'Delete a webhook; it gets no further deliveries',
  auth,
  response: messageOnly,
  async handler({ caller, params, origin }, { db, temporal, logger }) {
    await deleteWebhook(db, caller.workspaceId, params.id, origin);
    void wakeRetrier({ temporal, logger }, params.id, caller.workspaceId);
    return { message: successTexts.webhookDeleted };
  },
});
