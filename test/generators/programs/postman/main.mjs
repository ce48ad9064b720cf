/**
 * A Postman import of the document, with the parameters taken from its examples and optional ones left out: sends, reads, lists, and verifies
 * a webhook. Then every request that needs no id is sent as it was imported.
 */
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const { BASE, KEY, TOKEN, HOOK, INBOX, MODULES } = process.env;
const converter = createRequire(MODULES)('openapi-to-postmanv2');
const options = { parametersResolution: 'Example', enableOptionalParameters: false };
const input = { type: 'string', data: readFileSync('openapi.json', 'utf8') };
const conversion = await new Promise((resolve, reject) => {
  converter.convertV2(input, options, (error, result) => (error ? reject(error) : resolve(result)));
});
assert.ok(conversion.result, conversion.reason);
const [{ data: collection }] = conversion.output;

const leaves = (items) => items.flatMap((item) => (item.item === undefined ? [item.request] : leaves(item.item)));
const requests = leaves(collection.item);
const variables = Object.fromEntries(collection.variable.map(({ key, value }) => [key, value]));
assert.equal(variables.baseUrl, BASE);

async function send({ method, url, header, body, auth }, { ids = {}, raw = body?.raw } = {}) {
  const path = url.path.map((part) => (part.startsWith(':') ? ids[part.slice(1)] : part)).join('/');
  const query = (url.query ?? []).filter(({ disabled }) => !disabled).map(({ key, value }) => [key, value]);
  const headers = Object.fromEntries(header.filter(({ disabled }) => !disabled).map(({ key, value }) => [key, value]));
  if (auth?.type === 'apikey') headers['X-API-Key'] = KEY;
  if (auth?.type === 'bearer') headers.Authorization = `Bearer ${TOKEN}`;
  const response = await fetch(`${variables.baseUrl}/${path}?${new URLSearchParams(query)}`, {
    method,
    headers,
    ...(raw ? { body: raw } : {}),
  });
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    await response.body.cancel(); // it does not end by itself
    return { status: response.status, text: '' };
  }
  return { status: response.status, text: await response.text() };
}
const at = (method, path) => requests.find((request) => request.method === method && request.url.path.join('/') === path);

const created = await send(at('POST', 'api/v1/webhooks'), { raw: JSON.stringify({ url: HOOK, events: ['message.delivered'] }) });
const { secret, webhook } = JSON.parse(created.text).data;
const { id } = JSON.parse((await send(at('POST', 'api/v1/messages/send'))).text).data.message;
const delivery = await fetch(`${INBOX}/${id}`);
const expected = createHmac('sha256', secret)
  .update(Buffer.from(await delivery.arrayBuffer()))
  .digest('hex');
assert.equal(delivery.headers.get('x-service-signature'), expected);
const read = await send(at('GET', 'api/v1/messages/:id'), { ids: { id } });
assert.equal(JSON.parse(read.text).data.message.status, 'delivered');
const listed = await send(at('GET', 'api/v1/messages'));
assert.ok(JSON.parse(listed.text).data.messages.some((message) => message.id === id));
assert.equal((await send(at('DELETE', 'api/v1/webhooks/:id'), { ids: { id: webhook.id } })).status, 200);

/** These end the session or the account, or need a token from a mail or a signature. */
const left = /^(console|api\/v1\/(auth|billing\/(checkout|webhook))|callbacks|unsubscribe)/;
const plain = requests.filter(({ url }) => url.path.every((part) => !part.startsWith(':')) && !left.test(url.path.join('/')));
assert.ok(plain.length > 20);
const refused = [];
for (const request of plain) {
  const { status, text } = await send(request);
  if (status >= 400) refused.push(`${request.method} ${request.url.path.join('/')} ${status} ${text}`);
}
assert.deepEqual(refused, []);
