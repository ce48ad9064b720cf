/** The keys that sign deliveries: rotate the secret, get the public key. */
import Joi from 'joi';
import { rotateSecret } from '../../../models/operations/webhooks/rotate-secret.js';
import { Webhook } from '../../../models/tables/webhook.js';
import { endpoint } from '../../declare.js';
import { apiKeyOrJwt } from '../../http/endpoint.js';
import { presentPublicKeys, presentWebhook } from '../../present/webhook-presenters.js';
import { overlapHours } from '../../http/schemas/whole-number.js';
import { storeNow } from '../../present/success-texts.js';
import { publicKeysResponse, rotatedResponse } from './webhook-schemas.js';

const auth = apiKeyOrJwt('manage_webhooks');

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
    const { row, secret } = await rotateSecret(db, config.secretKeys, rotation, origin);
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
