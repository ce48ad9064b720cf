/** Deliveries of events to a webhook, with their attempts. */
import Joi from 'joi';
import { Delivery, type DeliveryFilters, deliveryStatuses } from '../../../models/tables/delivery.js';
import { eventTypes, testEventType } from '../../../models/rules/webhooks/events.js';
import { Webhook } from '../../../models/tables/webhook.js';
import { either, endpoint } from '../../http/endpoint.js';
import { presentPagination } from '../../present/presenters.js';
import { bound, listOf, type Page, pageOf, pageQuery, uuid } from '../../http/schemas.js';
import { text } from '../../http/validation.js';
import { presentDelivery } from '../../present/webhook-presenters.js';
import { deliveryResponse } from './webhook-schemas.js';

const auth = either('manage_webhooks');

export const listDeliveries = endpoint({
  id: 'webhooks.deliveries',
  method: 'get',
  path: '/api/v1/webhooks/:id/deliveries',
  summary: 'List deliveries of a webhook with their attempts, newest first',
  auth,
  query: Joi.object<Page & DeliveryFilters>({
    ...pageQuery,
    status: listOf(deliveryStatuses),
    event: text().valid(...eventTypes, testEventType),
    message_id: uuid('message_id'),
    since: bound('first'),
    until: bound('last'),
  }),
  response: pageOf('deliveries', deliveryResponse),
  async handler({ caller, params, query: { page, limit, ...filters } }) {
    const webhook = await Webhook.owned(caller.workspaceId, params.id);
    const { rows, total } = await Delivery.pageOf(webhook, filters, { page, limit });
    return { deliveries: rows.map((row) => presentDelivery(row, webhook)), pagination: presentPagination(total, { page, limit }) };
  },
});

export const getDelivery = endpoint({
  id: 'webhooks.get-delivery',
  method: 'get',
  path: '/api/v1/webhooks/:id/deliveries/:delivery_id',
  summary: 'Get a delivery with its attempts',
  auth,
  response: Joi.object({ delivery: deliveryResponse.required() }),
  async handler({ caller, params }) {
    const webhook = await Webhook.owned(caller.workspaceId, params.id);
    return { delivery: presentDelivery(await Delivery.ofWebhook(webhook.id, params.delivery_id), webhook) };
  },
});
