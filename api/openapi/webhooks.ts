/** The `webhooks` section: the events that subscribers receive. The examples come from the same function as the events. */
import {
  eventBody,
  eventData,
  eventDescriptions,
  type EventField,
  type EventSubject,
  type EventType,
  eventTypes,
  testEventBody,
  testEventType,
} from '../../models/rules/webhooks/events.js';
import { channels } from '../../models/channels.js';
import { defaultRetryHours } from '../../models/settings/webhook-settings.js';
import { failureCodes } from '../../models/rules/messages/error-codes.js';
import { type Components, type Json, jsonSchema } from '../http/schemas/json-schema.js';
import { refer } from '../http/schemas/schema-components.js';
import { enumOf } from '../http/schemas/schemas.js';
import { oneOfWords } from '../http/schemas/words.js';
import { eventTag } from './prose.js';

const text = { type: 'string' };
const moment = { type: 'string', format: 'date-time' };
const uuid = { type: 'string', format: 'uuid' };

/** The schemas of the fields in the events of a status. */
const fieldSchemas = (status: string, components: Components): Readonly<Record<EventField, Json>> => ({
  message_id: uuid,
  channel: jsonSchema(enumOf('Channel', channels), { components }),
  recipient: { ...text, description: 'Phone number or e-mail address; empty in a correction that comes after an erasure' },
  status: { ...text, const: status },
  credits_used: { type: 'number' },
  provider_message_id: status === 'failed' ? { ...text, description: 'Absent if no carrier accepted the message' } : text,
  delivered_at: moment,
  error_code: { ...text, description: oneOfWords(failureCodes) },
  error_message: text,
  reference: { ...text, description: 'Present if the message has a reference' },
  batch_id: { ...uuid, description: 'Present if the message belongs to a bulk send' },
  metadata: { type: 'object', additionalProperties: true, description: 'Present if the message has metadata' },
});

/** `message.sent` → `MessageSentEvent` and `MessageSentEventData`. */
function schemaOf(type: EventType, components: Components): Json {
  const status = type.slice('message.'.length);
  const name = `Message${status.charAt(0).toUpperCase()}${status.slice(1)}Event`;
  const schemas = fieldSchemas(status, components);
  const fields = Object.entries(eventData(type, leastMessage)) as [EventField, unknown][];
  const properties = Object.fromEntries(fields.map(([field]) => [field, schemas[field]]));
  const required = fields.filter(([, value]) => value !== undefined).map(([field]) => field);
  return envelopeOf(type, name, refer(components, `${name}Data`, { type: 'object', properties, required }), components);
}

const envelopeOf = (type: string, name: string, data: Json, components: Components): Json =>
  refer(components, name, {
    type: 'object',
    properties: { event: { ...text, const: type }, timestamp: moment, data },
    required: ['event', 'timestamp', 'data'],
  });

function testSchema(components: Components): Json {
  const data = refer(components, 'WebhookTestEventData', { type: 'object', properties: { webhook_id: uuid }, required: ['webhook_id'] });
  return envelopeOf(testEventType, 'WebhookTestEvent', data, components);
}

const at = new Date('2026-11-21T10:00:00.000Z');
const message: EventSubject = {
  id: '0198c5b1-7a10-7f3e-8b1d-2c9e4d5f6a7b',
  channel: 'sms',
  to: '+15551234567',
  reference: 'order-1042',
  batch_id: null,
  metadata: { order: 1042 },
  credits_used: 1000,
  provider_message_id: 'sandbox-0198c5b1',
  error_code: '30008',
  error_message: 'Unknown destination',
  delivered_at: at,
};

type NullFields = { [Field in keyof Omit<EventSubject, 'delivered_at'> as null extends EventSubject[Field] ? Field : never]: null };
const nullFields: NullFields = {
  reference: null,
  batch_id: null,
  metadata: null,
  provider_message_id: null,
  error_code: null,
  error_message: null,
};
/** It lacks all that a message may lack: the fields of its events are the required ones. A delivered message has its time. */
const leastMessage: EventSubject = { ...message, ...nullFields };

const header = (name: string, description: string, schema: Json = text) => ({ name, in: 'header', required: true, description, schema });
const headers = (type: string) => [
  { ...header('X-Service-Event', 'The event type'), example: type },
  header('X-Service-Signature', 'Hex HMAC SHA-256 of the raw body, keyed with the whole secret of the webhook', {
    type: 'string',
    pattern: '^[0-9a-f]{64}$',
  }),
  header('webhook-id', 'Id of the event, the same at every attempt and for every webhook (Standard Webhooks)'),
  header('webhook-timestamp', 'Time of the attempt, in seconds since 1970', { type: 'string', pattern: '^\\d+$' }),
  header(
    'webhook-signature',
    '`v1,` and the base64 HMAC SHA-256 of `<webhook-id>.<webhook-timestamp>.<raw body>`, keyed with the decoded part of the secret. During a secret rotation there are two signatures, separated by a space. For an asymmetric webhook, `v1a,` and the base64 ed25519 signature of the same content follow',
  ),
];

interface EventRequest {
  type: string;
  summary: string;
  /** What follows if the response is not 2xx. */
  otherwise: string;
  notAcknowledged: string;
  schema: Json;
  example: string;
}

/** `message.sent` → `messageSent`, `webhook.secret_rotated` → `webhookSecretRotated`. */
export const operationIdOf = (type: string): string => type.replace(/[._](.)/g, (_, letter: string) => letter.toUpperCase());

const requestOf = ({ type, summary, otherwise, notAcknowledged, schema, example }: EventRequest): Json => ({
  post: {
    operationId: operationIdOf(type),
    summary,
    description: `Verify the signature over the raw bytes, with a constant-time comparison. Any 2xx within 10 seconds acknowledges the event. ${otherwise}`,
    tags: [eventTag],
    security: [],
    parameters: headers(type),
    requestBody: { required: true, content: { 'application/json': { schema, example: JSON.parse(example) as Json } } },
    responses: {
      '2XX': { description: 'Acknowledged' },
      '4XX': { description: `Not acknowledged: ${notAcknowledged}. 410 disables the webhook` },
    },
  },
});

const messageRequest = (type: EventType, components: Components): Json =>
  requestOf({
    type,
    summary: eventDescriptions[type],
    otherwise: `Any other response is retried with growing delays, by default for about ${defaultRetryHours} hours; 410 disables the webhook. The same event may arrive more than once: use \`webhook-id\` to detect duplicates.`,
    notAcknowledged: 'the event is sent again',
    schema: schemaOf(type, components),
    example: eventBody(type, message, at),
  });

const testRequest = (components: Components): Json =>
  requestOf({
    type: testEventType,
    summary: 'The owner of the webhook asked for a test.',
    otherwise: 'The event is sent once, whatever the response is; 410 disables the webhook. No subscription is needed.',
    notAcknowledged: 'the test has failed',
    schema: testSchema(components),
    example: testEventBody('0198c5b1-7a10-7f3e-8b1d-2c9e4d5f6a7c', at),
  });

/** The `components.pathItems` of the document: the requests that receivers get. */
export const eventPathItems = (components: Components): Json => ({
  ...Object.fromEntries(eventTypes.map((type) => [type, messageRequest(type, components)])),
  [testEventType]: testRequest(components),
});

/**
 * The `webhooks` section of the document. It only refers to the path items, because openapi-generator makes clients that do not compile of
 * requests that are written out here.
 */
export const webhooksSection: Json = Object.fromEntries(
  [...eventTypes, testEventType].map((type) => [type, { $ref: `#/components/pathItems/${type}` }]),
);
