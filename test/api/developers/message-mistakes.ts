/** Mistakes in messages and elsewhere, see mistakes.ts. */
import { good, type Mistake, phone, phoneExample } from './mistake.js';
import { channels } from '../../../models/channels.js';
import { eventTypes } from '../../../models/rules/webhooks/events.js';
import { scopes } from '../../../models/rules/accounts/api-key.js';

const send = 'POST /api/v1/messages/send';
const bulk = 'POST /api/v1/messages/bulk';
const list = 'GET /api/v1/messages';

/** A request that is refused with 400 for one of its fields. */
type Row = [what: string, body: object | undefined, where: string, error: Mistake['error'], fix: Mistake['fix']];

const refused =
  (to: string, as?: 'jwt') =>
  ([what, body, where, error, fix]: Row): Mistake => ({
    what,
    to,
    ...(as === undefined ? {} : { as }),
    ...(body === undefined ? {} : { body }),
    status: 400,
    error,
    where: [where],
    fix,
  });

const recipients: Row[] = [
  ['a number without a plus', { ...good, to: '15551234567' }, 'to', phone, phoneExample],
  ['a number with 00', { ...good, to: '0015551234567' }, 'to', phone, phoneExample],
  ['a number with spaces', { ...good, to: '+1 555 123 4567' }, 'to', phone, 'without spaces'],
  ['a number as a JSON number', { ...good, to: 15_551_234_567 }, 'to', 'to must be a string', 'must be a string'],
  ['several recipients', { ...good, to: ['+15551234567', '+15551234568'] }, 'to', 'to must be a string', '/api/v1/messages/bulk'],
  ['a mail address for an sms', { ...good, to: 'ada@example.com' }, 'to', phone, phoneExample],
  ['a number for an e-mail', { ...good, channel: 'email' }, 'to', 'Invalid email address', 'for example ada@example.com'],
];

const contents: Row[] = [
  [
    'a channel in capitals',
    { ...good, channel: 'SMS' },
    'channel',
    `Invalid channel. Must be one of: ${channels.join(', ')}`,
    channels.join(', '),
  ],
  [
    'a text outside of content',
    { to: good.to, channel: 'sms', text: 'Hello' },
    'content.text',
    'Missing required field: content.text',
    'content.text',
  ],
  ['content as a text', { ...good, content: 'Hello' }, 'content', 'content must be an object', '{"text": "Hello"}'],
  ['a text too long', { ...good, content: { text: 'x'.repeat(1_601) } }, 'content.text', /at most 1,?600 characters/, /at most 1,?600/],
  ['metadata as a text', { ...good, metadata: 'order 7' }, 'metadata', 'metadata must be an object', 'an object'],
  [
    'a variable missing',
    { ...good, content: { text: 'Hello {{name}}' }, variables: {} },
    'variables.name',
    /variables\.name/,
    'variables.name',
  ],
];

const names: Row[] = [
  [
    'a letter missing in a field',
    { ...good, schedule_at: '2030-01-01T00:00:00Z' },
    'schedule_at',
    'Unknown field: schedule_at. Did you mean scheduled_at?',
    'scheduled_at',
  ],
  [
    'a field in camel case',
    { ...good, expiresAt: '2030-01-01T00:00:00Z' },
    'expiresAt',
    'Unknown field: expiresAt. Did you mean expires_at?',
    'expires_at',
  ],
];

const times: Row[] = [
  [
    'a time without a zone',
    { ...good, scheduled_at: '2030-01-01T10:00:00' },
    'scheduled_at',
    'Invalid date format',
    'with a time zone, for example 2026-11-21T10:00:00Z',
  ],
  [
    'seconds since 1970',
    { ...good, scheduled_at: 1_900_000_000 },
    'scheduled_at',
    'scheduled_at must be a string',
    'for example 2026-11-21T10:00:00Z',
  ],
  [
    'a time too far ahead',
    { ...good, scheduled_at: '2999-01-01T00:00:00Z' },
    'scheduled_at',
    'scheduled_at must be at most 30 days ahead',
    'at most 30 days',
  ],
];

const key: Mistake = {
  what: 'an empty idempotency key',
  to: send,
  headers: { 'Idempotency-Key': '' },
  body: good,
  status: 400,
  error: 'Idempotency-Key must be 1 to 255 visible ASCII characters',
  where: ['Idempotency-Key'],
  fix: '1 to 255 visible ASCII',
};

export const messages: Mistake[] = [...[...recipients, ...contents, ...names, ...times].map(refused(send)), key];

const { to, ...toMany } = good;
const bulks: Row[] = [
  ['a bad recipient in a bulk send', { ...toMany, recipients: [to, '5551234'] }, 'recipients[1].to', phone, phoneExample],
  ['no recipients', { ...toMany, to: [to] }, 'recipients', 'Missing required field: recipients', 'recipients'],
];

const queries: [query: string, ...Row][] = [
  ['limit=1000', 'a page too long', undefined, 'limit', 'Limit must be between 1 and 100', 'between 1 and 100'],
  [
    'status=Delivered',
    'a status in capitals',
    undefined,
    'status',
    'Invalid status. Must be one of: queued, sent, delivered, failed, read',
    'delivered',
  ],
  ['start_date=21.11.2026', 'a date of one country', undefined, 'start_date', 'Invalid date format', 'ISO 8601'],
  ['cursor=abc', 'a cursor of another list', undefined, 'cursor', 'Invalid cursor', 'next_cursor of the previous response'],
];

const webhooks: Row[] = [
  [
    'a webhook without https',
    { url: 'http://localhost:4000/hook', events: ['message.sent'] },
    'url',
    'Webhook URL must use HTTPS',
    'docs/webhooks.md',
  ],
  [
    'an unknown event',
    { url: 'https://example.com', events: ['message.bounced'] },
    'events',
    `Invalid events. Must be one of: ${eventTypes.join(', ')}`,
    'message.failed',
  ],
];

const scope: Row = [
  'a scope by a name of its own',
  { name: 'x', scopes: ['send'] },
  'scopes',
  `Invalid scopes. Must be one of: ${scopes.join(', ')}`,
  'send_messages',
];

export const others: Mistake[] = [
  ...bulks.map(refused(bulk)),
  ...queries.map(([query, ...row]) => refused(`${list}?${query}`)(row)),
  ...webhooks.map(refused('POST /api/v1/webhooks')),
  refused('POST /api/v1/api-keys', 'jwt')(scope),
];
