/** The introduction and the tags of the OpenAPI document. */
export const description = `
Send messages by SMS, WhatsApp and e-mail, and follow their delivery.

**Credentials.** A JWT (\`Authorization: Bearer …\`) manages the account. An API key (\`X-API-Key\`) sends and reads messages.

The session of the console is a cookie that takes the place of both, on pages of this service.

**Responses** are \`{"success": true, "data": …}\` or \`{"success": false, "error": …, "code": …, "message": …, "request_id": …}\`;
for status 400, \`details\` lists every fault. Do not retry 4xx, except 429. Retry 429 and 5xx with exponential backoff, and
send an \`Idempotency-Key\` so that a retry does nothing twice.

**Limits.** Requests are counted in fixed windows: per API key, per workspace for JWTs, and per client address without a credential.
Every response has the three \`X-RateLimit-*\` headers. With a 429, \`Retry-After\` tells how many seconds to wait.

**Lists** take \`page\` and \`limit\` and are sorted newest first. The \`Link\` header contains the first, previous, next and last page.

**Unknown fields** of bodies and unknown query parameters are ignored, and the header \`Ignored-Fields\` names them. A field that looks like a
known one is refused: \`Unknown field: schedule_at. Did you mean scheduled_at?\` HEAD is answered like GET, without a body.
`.trim();

export const tags = [
  { name: 'auth', description: 'Accounts: sign up, verify the e-mail address, log in, reset the password' },
  { name: 'console', description: 'The session of the console' },
  { name: 'messages', description: 'Send single and bulk messages, and follow their delivery' },
  { name: 'workspace', description: 'The workspace and its settings' },
  { name: 'erasures', description: 'Erase the data of recipients' },
  { name: 'api-keys', description: 'API keys; managed with a JWT' },
  { name: 'audit-events', description: 'Audit log: changes to the account, with actor and client address' },
  { name: 'contacts', description: 'Recipients with their names, tags and custom fields' },
  { name: 'suppressions', description: 'Recipients who must not get messages, with the reason' },
  { name: 'webhooks', description: 'Endpoints that receive events, and their deliveries' },
  { name: 'stream', description: 'Events as they happen, over one open connection' },
  { name: 'billing', description: 'Buy credits and list transactions' },
  { name: 'callbacks', description: 'Delivery reports, sent by providers' },
  { name: 'unsubscribe', description: 'The unsubscribe link in e-mails, used by mail programs' },
  { name: 'health', description: 'Health of the service' },
];
