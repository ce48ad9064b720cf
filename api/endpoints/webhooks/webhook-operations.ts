/** Operations on webhooks: send a test event, rotate the secret, resend a delivery, get the public key. */
import Joi from 'joi';
import { deliveryWithoutBody } from '../../../models/conflicts.js';
import { Delivery } from '../../../models/tables/delivery.js';
import { internal } from '../../../models/errors.js';
import { createTestDelivery, dropTestDelivery } from '../../../models/operations/deliveries/create-test-delivery.js';
import { isForgotten } from '../../../models/operations/webhooks/forget-webhook-data.js';
import { rotateSecret } from '../../../models/operations/webhooks/rotate-secret.js';
import { Webhook } from '../../../models/tables/webhook.js';
import { endpoint } from '../../declare.js';
import { either, webhooksOrPortal } from '../../http/endpoint.js';
import { presentDelivery, presentPublicKeys, presentWebhook } from '../../present/webhook-presenters.js';
import { overlapHours } from '../../http/schemas/whole-number.js';
import { dataOf } from '../../http/schemas/schemas.js';
import { storeNow } from '../../present/success-texts.js';
import { deliveryResponse, publicKeysResponse, rotatedResponse } from './webhook-schemas.js';

const auth = either('manage_webhooks');
const oneDelivery = dataOf('delivery', deliveryResponse);

/**
 * The client may retry. If the attempt has started after all, the retry of a resend joins it, and that of a test sends a new event, because the
 * delivery of the first was deleted. Receivers detect duplicates of a delivery by `webhook-id`.
 */
const notStarted = (error: unknown) => internal(error, 1);

/** The attempt may have changed both the delivery and its webhook. */
const presentNow = async (workspaceId: string, webhookId: string, deliveryId: string) =>
  presentDelivery(await Delivery.ofWebhook(webhookId, deliveryId), await Webhook.owned(workspaceId, webhookId));

export const sendTestEventEndpoint = endpoint({
  id: 'sendTestEvent',
  tag: 'webhooks',
  method: 'post',
  path: '/api/v1/webhooks/:id/test',
  summary: 'Send a webhook.test event in one attempt; the response contains the outcome if the receiver answers within two seconds',
  auth: webhooksOrPortal,
  response: oneDelivery,
  status: 201,
  async handler({ caller: { workspaceId }, params }, { db, temporal }) {
    const deliveryId = await createTestDelivery(db, workspaceId, params.id);
    await temporal.attempt({ workspaceId, deliveryId, trigger: 'test' }).catch(async (error: unknown) => {
      await dropTestDelivery(db, deliveryId);
      throw notStarted(error);
    });
    return { delivery: await presentNow(workspaceId, params.id, deliveryId) };
  },
});

export const resendDeliveryEndpoint = endpoint({
  id: 'resendDelivery',
  tag: 'webhooks',
  method: 'post',
  path: '/api/v1/webhooks/:id/deliveries/:delivery_id/resend',
  summary: 'Send a delivery again now, in any status; the response contains the outcome if the receiver answers within two seconds',
  auth: webhooksOrPortal,
  response: oneDelivery,
  async handler({ caller: { workspaceId }, params }, { db, temporal }) {
    const webhook = await Webhook.owned(workspaceId, params.id);
    const delivery = await Delivery.ofWebhook(webhook.id, params.delivery_id);
    webhook.assertActive();
    if (await isForgotten(db, delivery.id)) throw deliveryWithoutBody();
    await temporal.attempt({ workspaceId, deliveryId: delivery.id, trigger: 'manual' }).catch((error: unknown) => {
      throw notStarted(error);
    });
    return { delivery: await presentNow(workspaceId, webhook.id, delivery.id) };
  },
});

export const rotateWebhookSecretEndpoint = endpoint({
  id: 'rotateWebhookSecret',
  tag: 'webhooks',
  method: 'post',
  path: '/api/v1/webhooks/:id/rotate-secret',
  summary: 'Replace the secret of a webhook. The new secret is displayed only once; the old one also signs until the overlap ends',
  auth,
  body: Joi.object<{ overlap_hours: number }>({ overlap_hours: overlapHours }).required(),
  response: rotatedResponse,
  async handler({ caller: { workspaceId }, params, origin, body }, { db, config }) {
    const rotation = { workspaceId, id: params.id, overlapHours: body.overlap_hours };
    const { row, secret } = await rotateSecret(db, config.secretKey, rotation, origin);
    return { webhook: presentWebhook(row), secret, warning: warningOf(row.old_secret_until ?? null) };
  },
});

export const getWebhookPublicKeyEndpoint = endpoint({
  id: 'getWebhookPublicKey',
  tag: 'webhooks',
  method: 'get',
  path: '/api/v1/webhooks/:id/public-key',
  summary:
    'Get the public key of an asymmetric webhook, and during a rotation also the previous one; null if the webhook is not asymmetric',
  auth,
  response: publicKeysResponse,
  handler: async ({ caller, params }) => presentPublicKeys(await Webhook.owned(caller.workspaceId, params.id)),
});

function warningOf(oldUntil: Date | null): string {
  const store = storeNow.secret;
  if (oldUntil === null) return `${store} The previous secret is void.`;
  return `${store} webhook-signature carries the previous secret's signature too until ${oldUntil.toISOString()}.`;
}
