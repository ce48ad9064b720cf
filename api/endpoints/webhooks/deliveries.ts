/** Deliveries of events to a webhook, with their attempts. */
import Joi from 'joi';
import { LargeCounts } from '../../../models/flow/large-counts.js';
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
  response: dataOf('delivery', deliveryResponse),
  async handler({ caller, params }) {
    const webhook = await Webhook.owned(caller.workspaceId, params.id);
    return { delivery: presentDelivery(await Delivery.ofWebhook(webhook.id, params.delivery_id), webhook) };
  },
});
