import assert from 'node:assert/strict';
import { rows } from '../../support/database.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

/** JavaScript reads it as 1234567890123456800. */
const id = '1234567890123456789';
const largest = String(Number.MAX_SAFE_INTEGER);
const fault = (field: string) => ({
  field,
  message: `${field} must be between -9007199254740991 and 9007199254740991; send larger numbers as strings`,
});
const send = (more: string) => `{"to":"+15551234567","channel":"sms","content":{"text":"v {{id}}"},${more}}`;
const bulk = (recipient: string, more = '"rate":1') =>
  `{"channel":"sms","content":{"text":"v {{id}}"},"recipients":[{"to":"+15551234567",${recipient}}],${more}}`;

describe('numbers that JavaScript cannot hold', () => {
  const app = useApi();
  let account: Account;
  before(async () => {
    account = await app.account();
  });
  const post = (path: string, body: string, headers = {}) => app.call('POST', `/api/v1/${path}`, { key: account.key, body, headers });

  const refused: [what: string, path: string, body: (number: string) => string, field: string][] = [
    ['a variable', 'messages/send', (number) => send(`"variables":{"id":${number}}`), 'variables.id'],
    ['a variable that nothing uses', 'messages/send', (number) => send(`"variables":{"id":1,"n":${number}}`), 'variables.n'],
    ['metadata', 'messages/send', (number) => send(`"metadata":{"orders":[${number}]}`), 'metadata.orders[0]'],
    ['a field of a recipient', 'messages/bulk', (number) => bulk(`"id":${number}`), 'recipients[0].id'],
    ['a variable of a recipient', 'messages/bulk', (number) => bulk(`"variables":{"id":${number}}`), 'recipients[0].variables.id'],
    ['metadata of a recipient', 'messages/bulk', (number) => bulk(`"id":1,"metadata":{"n":${number}}`), 'recipients[0].metadata.n'],
    ['metadata of a batch', 'messages/bulk', (number) => bulk('"id":1', `"metadata":{"n":${number}}`), 'metadata.n'],
    ['a custom field', 'contacts', (number) => `{"phone":"+15551234567","custom_fields":{"n":-${number}}}`, 'custom_fields.n'],
  ];
  for (const [what, path, body, field] of refused) {
    it(`400 for a number beyond 2^53 - 1 as ${what}, and 201 for the largest that is exact`, async () => {
      const answer = await post(path, body(id));
      assert.deepEqual([answer.status, answer.body.details], [400, [fault(field)]]);
      assert.equal((await post(path, body(largest))).status, 201);
    });
  }

  it('on_invalid skip leaves out a recipient with a number beyond 2^53 - 1', async () => {
    const { status, body } = await post('messages/bulk', bulk(`"id":${id}},{"to":"+15551234568","id":"${id}"`, '"on_invalid":"skip"'));
    const { field, message } = fault('recipients[0].id');
    assert.deepEqual([status, body.data.batch.accepted, body.data.batch.errors], [201, 1, [{ index: 0, field, message }]]);
    const sent = await rows(app.deps.db, "SELECT content->>'text' AS text FROM messages WHERE batch_id = $1", [body.data.batch.id]);
    assert.deepEqual(sent, [{ text: `v ${id}` }]);
  });

  it('400 for two large numbers under one idempotency key, which JavaScript takes for the same', async () => {
    const headers = { 'Idempotency-Key': 'order' };
    for (const field of ['metadata', 'variables']) {
      for (const number of [id, '1234567890123456790']) {
        const answer = await post('messages/send', send(`"${field}":{"id":${number}}`), headers);
        assert.deepEqual([answer.status, answer.headers.get('idempotent-replayed')], [400, null]);
      }
    }
  });

  it('200 for the OpenAPI document, in which variables have only exact numbers, in words', async () => {
    const { SendToPhone, RecipientByAddress } = (await app.call('GET', '/openapi.json')).body.components.schemas;
    for (const { properties } of [SendToPhone, RecipientByAddress]) {
      const limits = `Numbers from ${Number.MIN_SAFE_INTEGER} to ${Number.MAX_SAFE_INTEGER}; send larger ones as strings`;
      assert.ok(properties.variables.description.endsWith(limits));
    }
  });
});
