/** What the document tells in sentences. */
export const description = `
Send messages by SMS, WhatsApp and e-mail, and learn what became of them.

**Credentials.** A JWT (\`Authorization: Bearer …\`) manages the account, an API key (\`X-API-Key\`) sends and reads messages.

**Answers** are \`{"success": true, "data": …}\` or \`{"success": false, "error": …, "code": …, "message": …, "request_id": …}\`;
of 400, \`details\` names every fault that was found. Do not repeat 4xx, except 429; repeat 429 and 5xx with growing pauses, and
send an \`Idempotency-Key\` where it matters that nothing is done twice.

**Limits.** Requests are counted in fixed windows: by API key, by workspace for JWTs, by address where there is no credential.
The three \`X-RateLimit-*\` headers are on every answer. 429 says in \`Retry-After\` how many seconds to wait.

**Lists** take \`page\` and \`limit\`; newest first. \`Link\` leads to the first, previous, next and last page.

**Unknown fields** of bodies and unknown query parameters are ignored, and the header \`Ignored-Fields\` names them. One that looks like a
known field is refused: \`Unknown field: schedule_at. Did you mean scheduled_at?\` HEAD is answered as GET without the body.
`.trim();

export const tags = [
  { name: 'auth', description: 'Accounts: sign up, verify the address, log in, reset the password' },
  { name: 'messages', description: 'Send messages, one or many, and see what became of them' },
  { name: 'workspace', description: 'The workspace, and what it allows itself' },
  { name: 'erasures', description: 'Recipients who are to be forgotten' },
  { name: 'api-keys', description: 'API keys, made and revoked with a JWT' },
  { name: 'audit-events', description: 'What was done to the account, by whom, and from where' },
  { name: 'contacts', description: 'Whom a workspace writes to' },
  { name: 'suppressions', description: 'Whom a workspace must not write to, and why' },
  { name: 'webhooks', description: 'Where events are sent, and what became of them' },
  { name: 'billing', description: 'Buy credits, and see where they went' },
  { name: 'callbacks', description: 'For providers: delivery reports' },
  { name: 'unsubscribe', description: 'For mail programs: the link in a mail' },
  { name: 'health', description: 'Whether the service is well' },
];
