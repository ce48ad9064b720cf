/** The mistakes of mistakes.test.ts: credentials, paths and bodies; the others are in message-mistakes.ts. */
import { messages, others } from './message-mistakes.js';
import { good, type Mistake } from './mistake.js';

const send = 'POST /api/v1/messages/send';
const badJson = 'Invalid JSON body';

const credentials: Mistake[] = [
  {
    what: 'no key',
    to: send,
    as: 'nobody',
    body: good,
    status: 401,
    error: 'Missing X-API-Key header',
    where: ['X-API-Key'],
    fix: 'needs an API key in the header X-API-Key',
  },
  {
    what: 'the key as a bearer token',
    to: send,
    as: 'nobody',
    headers: { Authorization: 'Bearer <key>' },
    body: good,
    status: 401,
    error: 'Missing X-API-Key header',
    where: ['X-API-Key'],
    fix: 'An API key belongs in the header X-API-Key',
  },
  {
    what: 'the key in quotes',
    to: send,
    as: 'nobody',
    headers: { 'X-API-Key': '"<key>"' },
    body: good,
    status: 401,
    error: 'Invalid API key',
    where: ['X-API-Key'],
    fix: 'incomplete or misspelt',
  },
  {
    what: 'a JWT where a key is needed',
    to: send,
    as: 'jwt',
    body: good,
    status: 401,
    error: 'Missing X-API-Key header',
    where: ['X-API-Key'],
    fix: 'not a JWT',
  },
  {
    what: 'a key where a JWT is needed',
    to: 'GET /api/v1/api-keys',
    status: 401,
    error: 'Invalid or expired token',
    where: ['Authorization'],
    fix: 'needs a JWT, not an API key',
  },
  {
    what: 'a JWT without Bearer',
    to: 'GET /api/v1/api-keys',
    as: 'nobody',
    headers: { Authorization: '<jwt>' },
    status: 401,
    error: 'Invalid or expired token',
    where: ['Authorization'],
    fix: 'must be Bearer <JWT>',
  },
];

const paths: Mistake[] = [
  { what: 'a path without /api/v1', to: 'GET /messages', status: 404, error: 'Not found', where: [''], fix: 'use /api/v1/messages' },
  {
    what: 'a slash at the end',
    to: 'POST /api/v1/messages/send/',
    body: good,
    status: 404,
    error: 'Not found',
    where: [''],
    fix: 'use /api/v1/messages/send',
  },
  {
    what: 'GET where POST is meant',
    to: 'GET /api/v1/messages/send',
    status: 404,
    error: 'Not found',
    where: [''],
    fix: 'Allowed: POST',
  },
  {
    what: 'a path in capitals',
    to: 'POST /Api/V1/Messages/Send',
    body: good,
    status: 404,
    error: 'Not found',
    where: [''],
    fix: 'use /api/v1/messages/send',
  },
  {
    what: 'PATCH instead of PUT',
    to: 'PATCH /api/v1/contacts/x',
    body: {},
    status: 404,
    error: 'Not found',
    where: [''],
    fix: 'Allowed: GET, PUT, DELETE',
  },
];

const bodies: Mistake[] = [
  {
    what: 'a comma too many',
    to: send,
    body: '{"to": "+15551234567",}',
    status: 400,
    error: badJson,
    where: [''],
    fix: 'line 1, column 23',
  },
  {
    what: 'JSON in single quotes',
    to: send,
    body: "{'to': '+15551234567'}",
    status: 400,
    error: badJson,
    where: [''],
    fix: 'line 1, column 2',
  },
  {
    what: 'a form',
    to: send,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: 'to=%2B15551234567&channel=sms',
    status: 400,
    error: badJson,
    where: [''],
    fix: 'not a form',
  },
  {
    what: 'a list of messages',
    to: send,
    body: '[{"to": "+15551234567"}]',
    status: 400,
    error: badJson,
    where: [''],
    fix: 'must be a JSON object',
  },
  {
    what: 'no body',
    to: send,
    status: 400,
    error: 'Missing required field: to',
    where: ['to', 'channel', 'content.text'],
    fix: 'Missing required field: content.text',
  },
  {
    what: 'more than 100 kB',
    to: send,
    body: { ...good, metadata: { text: 'x'.repeat(110_000) } },
    status: 413,
    error: 'Request body too large',
    fix: '100 kB',
  },
];

/** The other two need a past, see the test. */
export const mistakes: readonly Mistake[] = [...credentials, ...paths, ...bodies, ...messages, ...others];
