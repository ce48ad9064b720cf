/** Events: which ones exist, that every subscriber gets each of them, and that their content is right (docs/contract/webhooks.md). */
import { groupBy } from '../../../models/rules/values/group-by.js';
import { type Arrival, type Evidence } from './evidence.js';
import { type Found, found, type Rule } from './rule.js';
import type { DeliveryFact, EventFact, MessageFact, WebhookFact } from './snapshot.js';

/** Webhooks with the same subscriptions during the whole run. These must get everything. */
function steadyWebhooks({ snapshot, calls, callsOn }: Evidence): WebhookFact[] {
  const beganAt = calls[0]?.at ?? 0;
  const isSteady = (webhook: WebhookFact) =>
    webhook.deleted_at === null &&
    webhook.created_at <= beganAt &&
    !callsOn.get(webhook.id)?.some(({ operation, change }) => operation === 'update-webhook' && change?.events !== undefined);
  return snapshot.webhooks.filter(isSteady);
}

/** Subscribers by `workspace type`. */
const subscribersOf = (evidence: Evidence) =>
  groupBy(
    steadyWebhooks(evidence).flatMap((webhook) => webhook.events.map((type) => ({ type, webhook }))),
    ({ type, webhook }) => `${webhook.workspace_id} ${type}`,
  );

/**
 * One event for each transition of a message with subscribers, and no other. `failed` may come before `delivered`: a late correction
 * reverses the failure, whose event was sent. Source: docs/contract/messages.md, Statuses.
 */
const eventPerMove: Rule = {
  name: 'event-per-move',
  promise:
    'Each status change of a message has one event if a webhook subscribes to it; there is no event of a change that did not happen.',
  check: (evidence) => {
    const subscribers = subscribersOf(evidence);
    const strays = evidence.snapshot.events
      .filter(({ message_id }) => !evidence.message.has(message_id))
      .map((event) => found('An event belongs to no message', event.id, event.message_id));
    return [...strays, ...evidence.snapshot.messages.flatMap((row) => miscounted(evidence, row, subscribers))];
  },
};

function miscounted({ eventsOf }: Evidence, row: MessageFact, subscribers: ReadonlyMap<string, unknown>): Found[] {
  const events = eventsOf.get(row.id) ?? [];
  const isArrived = row.delivered_at !== null;
  const expected: Record<string, readonly [boolean, boolean]> = {
    'message.queued': [true, true],
    'message.sent': [row.sent_at !== null, row.sent_at !== null],
    'message.delivered': [isArrived, isArrived],
    'message.failed': [row.status === 'failed', row.status === 'failed' || isArrived],
  };
  return Object.entries(expected).flatMap(([type, [must, may]]) => {
    const count = events.filter((event) => event.type === type).length;
    const isExpected = must && subscribers.has(`${row.workspace_id} ${type}`);
    if (count > 1) return [found(`${type} was written ${count} times`, row.id)];
    if (count === 1 && !may) return [found(`${type} was written, but the message is ${row.status}`, row.id)];
    return count === 0 && isExpected ? [found(`${type} was not written`, row.id)] : [];
  });
}

/** Each subscriber has one scheduled delivery of each event of its workspace. Source: docs/contract/webhooks.md. */
const eventForEach: Rule = {
  name: 'event-for-each',
  promise: 'Each event has one delivery for each webhook that subscribes to it.',
  check: (evidence) => {
    const subscribers = subscribersOf(evidence);
    return evidence.snapshot.events.flatMap((event) => {
      const workspace = evidence.message.get(event.message_id)?.workspace_id;
      const lines = (evidence.deliveriesOf.get(event.id) ?? []).map(({ webhook_id }) => webhook_id);
      return (subscribers.get(`${workspace} ${event.type}`) ?? [])
        .filter(({ webhook }) => lines.filter((id) => id === webhook.id).length !== 1)
        .map(({ webhook }) => found('A subscriber has an event not once in its line', event.id, webhook.id, event.message_id));
    });
  },
};

/**
 * When all work is settled, every delivery of an active webhook has succeeded, and its receiver got it and answered 2xx. It is `failed`
 * only after the whole retry schedule, `held` only if the webhook was inactive at some time. Source: docs/contract/webhooks.md.
 */
const eventIsDelivered: Rule = {
  name: 'event-is-delivered',
  promise: 'Every event is delivered to every active subscriber: the receiver got it and acknowledged it.',
  check: (evidence) => evidence.snapshot.deliveries.flatMap((delivery) => undelivered(evidence, delivery)),
};

function undelivered(evidence: Evidence, { webhook_id, event_id, status, attempts }: DeliveryFact): Found[] {
  const webhook = evidence.webhook.get(webhook_id);
  if (webhook === undefined || webhook.deleted_at !== null) return [];
  if (status === 'held')
    return wasInactive(evidence, webhook_id) ? [] : [found('An event is held although its webhook was active', event_id, webhook_id)];
  if (status === 'failed' && attempts >= evidence.limits.webhookAttempts) return [];
  if (status !== 'succeeded') return webhook.is_active ? [found(`An event is ${status} when all has settled`, event_id, webhook_id)] : [];
  const isSeen = evidence.arrivalsOf.get(`${webhook_id} ${event_id}`)?.some(isAcknowledged) === true;
  return isSeen ? [] : [found('An event counts as delivered, but its receiver has not acknowledged it', event_id, webhook_id)];
}

export const isAcknowledged = ({ answers }: Arrival) => answers !== null && answers >= 200 && answers < 300;

const wasInactive = ({ callsOn, arrivals }: Evidence, id: string) =>
  callsOn.get(id)?.some(({ change }) => change?.is_active === false) === true ||
  arrivals.some(({ webhook, answers }) => webhook === id && answers === 410);

/** What a receiver gets is an event of its own workspace, byte for byte as stored. Source: docs/contract/webhooks.md, Payload. */
const eventIsGenuine: Rule = {
  name: 'event-is-genuine',
  promise: 'A receiver gets only its own events, with the same bytes at every attempt.',
  check: ({ arrivals, snapshot, deliveriesOf }) => {
    const events = new Map(snapshot.events.map((event) => [event.id, event]));
    return arrivals.flatMap(({ id, webhook, body, event: type }) => {
      const event = events.get(id);
      const isForIt = deliveriesOf.get(id)?.some(({ webhook_id }) => webhook_id === webhook) === true;
      if (event === undefined || !isForIt)
        return type === 'webhook.test' ? [] : [found('A receiver got an event that is not for it', id, webhook)];
      const isSame = event.type === type && (event.body === null || event.body === body);
      return isSame ? [] : [found('A receiver got other bytes than the event has', id, webhook)];
    });
  },
};

/** Source: docs/contract/webhooks.md, Signature. */
const eventIsSigned: Rule = {
  name: 'event-is-signed',
  promise: 'Every event arrives with valid signatures.',
  check: ({ arrivals }) =>
    arrivals.filter(({ signed }) => !signed).map(({ id, webhook }) => found('An event arrived without a valid signature', id, webhook)),
};

/** The payload agrees with the row, which an erasure may have emptied. Source: docs/contract/webhooks.md, Payload; messages.md, Credit costs. */
const eventIsTrue: Rule = {
  name: 'event-is-true',
  promise: 'The body of each event agrees with its message.',
  check: ({ snapshot, message, erased, takenOver }) =>
    snapshot.events.flatMap((event) => {
      const row = message.get(event.message_id);
      if (row === undefined || event.body === null) return [];
      const isErased = erased.has(row.id); // then only the event of a late correction has a body
      const wrong = wrongFields(event, event.body, isErased ? { ...row, to: '' } : row, takenOver.get(row.id) ?? 0);
      return wrong.length === 0 ? [] : [found(`An event does not agree with its message: ${wrong.join(', ')}`, event.id, row.id)];
    }),
};

/** @param takenOver how much the charge of the message grew, before or after the event */
function wrongFields(event: EventFact, body: string, row: MessageFact, takenOver: number): string[] {
  const { event: type, data } = JSON.parse(body) as { event: string; data: Record<string, unknown> };
  const expected: Record<string, unknown> = {
    message_id: row.id,
    channel: row.channel,
    recipient: row.to,
    status: event.type.slice('message.'.length),
  };
  if (event.type === 'message.queued' || event.type === 'message.sent') {
    const told = Number(data.credits_used) * 1000;
    expected.credits_used = (told >= row.cost - takenOver && told <= row.cost ? told : row.cost) / 1000;
  }
  if (event.type === 'message.sent' || event.type === 'message.delivered')
    expected.provider_message_id = row.provider_message_id ?? undefined;
  if (event.type === 'message.failed' && row.status === 'failed') expected.error_code = row.error_code;
  const wrong = Object.keys(expected).filter((field) => data[field] !== expected[field]);
  return type === event.type ? wrong : ['event', ...wrong];
}

export const eventDeliveryRules = [eventPerMove, eventForEach, eventIsDelivered, eventIsGenuine, eventIsSigned, eventIsTrue];
