/** The introduction and the tags of the OpenAPI document. */
import type { Tag } from '../http/endpoint.js';
import { channelsInWords } from '../present/channel-texts.js';

export const description = `
Send messages by ${channelsInWords}, and follow their delivery.

**Credentials.** A JWT (\`Authorization: Bearer …\`) manages the account. An API key (\`X-API-Key\`) sends and reads messages.

The session of the console is a cookie that takes the place of both, on pages of this service.

**Responses** are \`{"success": true, "data": …}\` or \`{"success": false, "error": …, "code": …, "message": …, "request_id": …}\`;
with status 400, \`details\` lists every validation error. Do not retry 4xx, except 429. Retry 429 and 5xx with exponential backoff, and
send an \`Idempotency-Key\` so that a retry does nothing twice.

**Limits.** Requests are counted in fixed windows: per API key, per workspace for JWTs, and per client address without a credential.
Every response has the three \`X-RateLimit-*\` headers. With a 429, \`Retry-After\` is the number of seconds to wait.

**Lists** take \`page\` or \`cursor\`, and \`limit\`. They are sorted newest first. The \`Link\` header contains the first, previous, next and last page.

**Unknown fields** of bodies and unknown query parameters are ignored, and the header \`Ignored-Fields\` names them. It also names fields of the
content that no channel of the message has. A field that looks like a known one is refused: \`Unknown field: schedule_at.
Did you mean scheduled_at?\` HEAD gets the response of GET without its body.
`.trim();

const subjects: Record<Tag, string> = {
  auth: 'Accounts: sign up, verify the e-mail address, log in, reset the password',
  console: 'The session of the console',
  messages: 'Send single and bulk messages, and follow their delivery',
  workspace: 'The workspace and its settings',
  erasures: 'Erase the data of recipients',
  'api-keys': 'API keys; managed with a JWT',
  'audit-events': 'Audit log: changes to the account, with actor and client address',
  contacts: 'Recipients with their names, tags and custom fields',
  suppressions: 'Recipients who must not get messages, with the reason',
  webhooks: 'Endpoints that receive events, and their deliveries',
  stream: 'Events as they happen, over one open connection',
  billing: 'Buy credits and list transactions',
  callbacks: 'Delivery reports, sent by carriers',
  unsubscribe: 'The unsubscribe link in e-mails, used by mail programs',
  health: 'Health of the service, and its description',
};

/** The tag of the events, which are no operations of this service. Their own tag keeps them apart from the class that manages webhooks. */
export const eventTag = 'events';

export const tags = [
  ...Object.entries(subjects).map(([name, text]) => ({ name, description: text })),
  { name: eventTag, description: 'Events, sent to webhooks' },
];
