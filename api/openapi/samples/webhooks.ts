import * as conflicts from '../../../models/conflicts.js';
import * as errors from '../../../models/errors.js';
import { eventDescriptions, eventTypes } from '../../../models/rules/webhooks/events.js';
import { httpsText } from '../../../models/rules/webhooks/webhook-url.js';
import { storeNow, successTexts } from '../../present/success-texts.js';
import { at, ids, later, pagination, type Samples } from './sample.js';

const created = { id: ids.webhook, url: 'https://example.com/hooks', events: [...eventTypes], is_active: true, created_at: at };
const deliverySettings = { retry_delays: null, rate: null, ordered: false, asymmetric: false, public_key: null, frame_ancestors: [] };
const publicKey = { public_key: 'whpk_1SiA4o9hyqTCpIqC5V9HUakiiaeACeqfZTInDBbOir4=' };
const webhook = { ...created, ...deliverySettings, description: null, updated_at: at, disabled_reason: null, failing_since: null };
const secret = { secret: 'whsec_<base64>', warning: storeNow.secret };
const attempt = {
  number: 1,
  at: later,
  trigger: 'scheduled',
  response_status: 200,
  error: null,
  duration_ms: 84,
  response_body: 'ok',
  url: created.url,
  request_headers: { 'webhook-id': ids.transaction, 'webhook-timestamp': '1795255202', 'webhook-signature': 'v1,***' },
  response_headers: { 'content-type': 'text/plain' },
  timings: { dns_ms: 3, connect_ms: 17, tls_ms: 21, first_byte_ms: 42, total_ms: 84 },
  remote_address: '203.0.113.7',
};
const delivery = {
  id: ids.delivery,
  webhook_id: ids.webhook,
  event: 'message.delivered',
  message_id: ids.message,
  status: 'succeeded',
  attempts: [attempt],
  next_attempt_at: null,
  created_at: at,
  delivered_at: later,
};
const replay = {
  id: ids.replay,
  webhook_id: ids.webhook,
  status: 'running',
  since: at,
  until: later,
  statuses: ['failed', 'held'],
  matched: 12,
  attempted: 0,
  acknowledged: 0,
  created_at: later,
  ended_at: null,
};
const faults = [
  errors.invalidField('url', httpsText),
  errors.invalidField('events', `Invalid events. Must be one of: ${eventTypes.join(', ')}`),
];

const inactive = [conflicts.inactiveWebhook()];

/** Samples of webhooks and their deliveries. */
export const webhookSamples: Samples = {
  createWebhook: {
    about: 'The section `webhooks` of this document describes the requests to the URL and their signatures.',
    requests: {
      all: { url: created.url, events: created.events },
      some: { url: created.url, events: ['message.failed'], description: 'Alarms' },
      careful: { url: created.url, events: ['message.delivered'], retry_delays: [10, 60, 600, 3600], rate: 20, ordered: true },
      asymmetric: { url: created.url, events: created.events, asymmetric: true },
    },
    data: { webhook: created, ...secret },
    refusals: [...faults, conflicts.quotaReached('webhooks', 25)],
  },
  listWebhooks: { data: { webhooks: [webhook], pagination } },
  listEventTypes: { data: { events: eventTypes.map((type) => ({ type, description: eventDescriptions[type] })) } },
  getWebhook: { data: { webhook } },
  updateWebhook: {
    about:
      'Omitted fields are unchanged. Null clears `description` and `frame_ancestors`, sets `retry_delays` and `rate` to their defaults, and counts as omitted in the other fields. While a webhook is inactive, its events are kept as deliveries with the status `held`. A replay sends them. A new `url` makes pending retries due immediately. `asymmetric: true` creates a key pair, `false` deletes it.',
    requests: {
      pause: { is_active: false },
      usual: { retry_delays: null, rate: null, ordered: false },
      events: { events: ['message.delivered', 'message.failed'] },
      asymmetric: { asymmetric: true },
      framed: { frame_ancestors: ['https://app.example.com'] },
    },
    data: { webhook: { ...webhook, is_active: false } },
    refusals: faults,
  },
  deleteWebhook: { data: { message: successTexts.webhookDeleted } },
  listDeliveries: {
    about: 'Each attempt contains the request with masked signatures, the first part of the response, the remote address and the timings.',
    data: { deliveries: [delivery], pagination },
  },
  getDelivery: { data: { delivery } },
  sendTestEvent: {
    data: { delivery: { ...delivery, event: 'webhook.test', message_id: null, attempts: [{ ...attempt, trigger: 'test' }] } },
    refusals: inactive,
  },
  resendDelivery: {
    about: 'Sends the same `webhook-id` and the same bytes, with a new timestamp and signature.',
    data: { delivery: { ...delivery, attempts: [attempt, { ...attempt, number: 2, trigger: 'manual' }] } },
    refusals: [...inactive, conflicts.deliveryWithoutBody()],
  },
  replayDeliveries: {
    about:
      'With `dry_run` the deliveries are only counted, also for an inactive webhook. Deliveries whose body is no longer stored are left out. Scheduled retries continue unchanged.',
    requests: { missed: { since: at }, one: { since: at, until: later, status: 'failed' }, count: { since: at, dry_run: true } },
    data: { replay },
    refusals: [...inactive, conflicts.quotaReached('replays', 2)],
  },
  listReplays: { data: { replays: [replay], pagination } },
  getReplay: {
    about:
      'Of the `matched` deliveries, `attempted` were sent, and `acknowledged` of those succeeded. Failed ones are retried as scheduled; see the list of deliveries.',
    data: { replay: { ...replay, attempted: 7, acknowledged: 6 } },
  },
  cancelReplay: {
    about: 'Deliveries that were not sent yet stay unchanged.',
    data: { replay: { ...replay, status: 'cancelled', attempted: 7, acknowledged: 6, ended_at: later } },
    refusals: [conflicts.canNoLonger('Replay', 'cancelled')],
  },
  rotateWebhookSecret: {
    about:
      '`X-Service-Signature` uses the new secret immediately. `webhook-signature` contains signatures with both secrets for `overlap_hours`. An asymmetric webhook also gets a new key pair, with the same overlap.',
    requests: { soon: { overlap_hours: 2 }, usual: {} },
    data: { webhook, ...secret },
  },
  createWebhookPortal: {
    about:
      'For the people who look after the receiver. The link needs no login. It shows the webhook and its deliveries, sends test events, resends and replays, and changes nothing else. It ends after one hour, with the webhook, when all sessions of the workspace end, or with the API key that made it. The sites in `frame_ancestors` of the webhook may show it in a frame.',
    data: { portal: { url: `https://example.com/console/portal/webhooks/${ids.webhook}#token=<JWT>`, expires_at: later } },
    refusals: [errors.suspended()],
  },
  getWebhookPublicKey: {
    about:
      'Verifies the `v1a` signatures of Standard Webhooks. It consists of `whpk_` and the base64 of the 32 bytes of an ed25519 public key. A rotation of the secret replaces it; both keys sign until the overlap ends.',
    data: { ...publicKey, previous: { public_key: 'whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=', until: later } },
  },
};
