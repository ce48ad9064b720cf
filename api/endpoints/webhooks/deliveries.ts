/** Deliveries of events to a webhook, with their attempts: list, get and resend them, send a test event. */
import Joi from 'joi';
import { deliveryWithoutBody } from '../../../models/conflicts.js';
import { internal } from '../../../models/errors.js';
import { LargeCounts } from '../../../models/flow/large-counts.js';
import { createTestDelivery, deleteTestDelivery } from '../../../models/operations/deliveries/create-test-delivery.js';
import { isForgotten } from '../../../models/operations/webhooks/forget-webhook-data.js';
import { mapRows } from '../../../models/rules/values/list-window.js';
import { Delivery, type DeliveryFilters, deliverySort, deliveryStatuses } from '../../../models/tables/delivery.js';
import { eventTypes, testEventType } from '../../../models/rules/webhooks/events.js';
import { Webhook } from '../../../models/tables/webhook.js';
import { endpoint, list } from '../../declare.js';
import { webhooksOrPortal as auth } from '../../http/endpoint.js';
import { bound, dataOf, listOf, uuid } from '../../http/schemas/schemas.js';
import { text } from '../../http/schemas/validation.js';
import { presentDelivery } from '../../present/webhook-presenters.js';
import { deliveryResponse } from './webhook-schemas.js';

const oneDelivery = dataOf('delivery', deliveryResponse);
const counts = new LargeCounts();

export const listDeliveriesEndpoint = list({
  id: 'listDeliveries',
  tag: 'webhooks',
  path: '/api/v1/webhooks/:id/deliveries',
  summary: 'List deliveries of a webhook with their attempts, newest first',
  auth,
  name: 'deliveries',
  row: deliveryResponse,
  filters: Joi.object<DeliveryFilters>({
    status: listOf(deliveryStatuses).description(
      'One or several, separated by commas. `failed,held` are the deliveries that were not delivered',
    ),
    event: text()
      .valid(...eventTypes, testEventType)
      .description('Only deliveries of this type of event'),
    message_id: uuid('message_id').description('Only deliveries of events of this message'),
    since: bound('first'),
    until: bound('last'),
  }),
  sort: deliverySort,
  async find({ caller, params, filters, window }) {
    const webhook = await Webhook.owned(caller.workspaceId, params.id);
    const { id, is_active, revision } = webhook; // a change of the webhook may change the statuses of all its deliveries
    const counting = counts.of(id, is_active, revision, filters);
    return mapRows(await Delivery.pageOf(webhook, filters, window, counting), (row) => presentDelivery(row, webhook));
  },
});

export const getDeliveryEndpoint = endpoint({
  id: 'getDelivery',
  tag: 'webhooks',
  method: 'get',
  path: '/api/v1/webhooks/:id/deliveries/:delivery_id',
  summary: 'Get a delivery with its attempts',
  auth,
  response: oneDelivery,
  async handler({ caller, params }) {
    const webhook = await Webhook.owned(caller.workspaceId, params.id);
    return { delivery: presentDelivery(await Delivery.ofWebhook(webhook.id, params.delivery_id), webhook) };
  },
});

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
  summary: 'Send a webhook.test event in one attempt; the response contains the outcome if the receiver responds within two seconds',
  auth,
  response: oneDelivery,
  status: 201,
  async handler({ caller: { workspaceId }, params }, { db, temporal }) {
    const deliveryId = await createTestDelivery(db, workspaceId, params.id);
    await temporal.attempt({ workspaceId, deliveryId, trigger: 'test' }).catch(async (error: unknown) => {
      await deleteTestDelivery(db, deliveryId);
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
  summary: 'Send a delivery again now, in any status; the response contains the outcome if the receiver responds within two seconds',
  auth,
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
