/** Response schemas of webhooks, deliveries and replays. */
import Joi from 'joi';
import { deliveryStatuses, triggers } from '../../../models/tables/delivery.js';
import { replayStatuses } from '../../../models/tables/replay.js';
import { eventTypes, testEventType } from '../../../models/rules/webhooks/events.js';
import { named } from '../../http/schemas/json-schema.js';
import { date, dateOrNull, id, idOrNull, textOrNull, enumOf } from '../../http/schemas/schemas.js';
import { oneOfWords } from '../../http/schemas/words.js';

const publicKey = () =>
  Joi.string()
    .pattern(/^whpk_[A-Za-z0-9+/]{43}=$/)
    .allow(null)
    .required();

const shownSettings = {
  retry_delays: Joi.array().items(Joi.number().integer()).allow(null).required(),
  rate: Joi.number().allow(null).required(),
  ordered: Joi.boolean().required(),
  asymmetric: Joi.boolean().required(),
  public_key: publicKey(),
  frame_ancestors: Joi.array().items(Joi.string()).required(),
};

const newWebhook = Joi.object({
  id: id(),
  url: Joi.string().required(),
  events: Joi.array().items(enumOf('EventType', eventTypes)).required(),
  is_active: Joi.boolean().required(),
  created_at: date(),
});

export const webhookResponse = named(
  'Webhook',
  newWebhook.keys({
    ...shownSettings,
    description: textOrNull(),
    updated_at: date(),
    disabled_reason: textOrNull(),
    failing_since: dateOrNull(),
  }),
);

/** The response to a creation contains only the delivery settings of the request. */
const createdWebhook = named(
  'CreatedWebhook',
  newWebhook.keys(shownSettings).fork(Object.keys(shownSettings), (field) => field.optional()),
);

export const publicKeysResponse = named(
  'WebhookPublicKeyData',
  Joi.object({
    public_key: publicKey(),
    previous: named('PreviousPublicKey', Joi.object({ public_key: publicKey(), until: date() }))
      .allow(null)
      .required(),
  }),
);

const withSecret = (webhook: Joi.Schema) =>
  Joi.object({ webhook: webhook.required(), secret: Joi.string().required(), warning: Joi.string().required() });

export const createdResponse = named('CreatedWebhookData', withSecret(createdWebhook));
export const rotatedResponse = named('RotatedWebhookData', withSecret(webhookResponse));

export const portalResponse = named('WebhookPortal', Joi.object({ url: Joi.string().required(), expires_at: date() }));

const replayFields = {
  webhook_id: id(),
  since: date(),
  until: date(),
  statuses: Joi.array()
    .items(Joi.string().valid(...deliveryStatuses))
    .required(),
  matched: Joi.number().integer().allow(null).required().description('Null if there are too many to count: more than 200,000'),
  attempted: Joi.number().integer().required(),
  acknowledged: Joi.number().integer().required(),
};

/** `matched` counts the deliveries of the replay, `attempted` those that it has sent so far. */
export const replayResponse = named(
  'Replay',
  Joi.object({
    id: id(),
    ...replayFields,
    status: Joi.string()
      .valid(...replayStatuses)
      .required(),
    created_at: date(),
    ended_at: dateOrNull(),
  }),
);

/** A dry run has no id, because no replay was started. */
export const countedReplayResponse = named(
  'StartedReplay',
  replayResponse.keys({
    id: idOrNull(),
    status: Joi.string()
      .valid('counted', ...replayStatuses)
      .required(),
    created_at: dateOrNull(),
  }),
);

const headers = () => Joi.object().pattern(Joi.string(), Joi.string().allow('')).allow(null).required();
const milliseconds = () => Joi.number().integer().required();
const part = () => milliseconds().allow(null);

const timings = named(
  'AttemptTimings',
  Joi.object({ dns_ms: part(), connect_ms: part(), tls_ms: part(), first_byte_ms: part(), total_ms: milliseconds() }),
);

const attempt = named(
  'DeliveryAttempt',
  Joi.object({
    number: Joi.number().integer().required(),
    at: date(),
    trigger: Joi.string()
      .valid(...triggers)
      .required(),
    response_status: Joi.number().integer().allow(null).required(),
    error: textOrNull(),
    duration_ms: milliseconds(),
    response_body: textOrNull(),
    url: textOrNull(),
    request_headers: headers(),
    response_headers: headers(),
    timings: timings.allow(null).required(),
    remote_address: textOrNull(),
  }),
);

export const deliveryResponse = named(
  'Delivery',
  Joi.object({
    id: id(),
    webhook_id: id(),
    event: Joi.string()
      .required()
      .description(oneOfWords([...eventTypes, testEventType])),
    message_id: idOrNull(),
    status: Joi.string()
      .valid(...deliveryStatuses)
      .required(),
    attempts: Joi.array().items(attempt).required(),
    next_attempt_at: dateOrNull().description(
      'When the next attempt is due. Null if none follows, or if the delivery of an ordered webhook waits for its turn',
    ),
    created_at: date(),
    delivered_at: dateOrNull(),
  }),
);
