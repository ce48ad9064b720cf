import assert from 'node:assert/strict';
import { digestRequest } from '../../../api/http/idempotency.js';
import { freshDatabase, rows, type TestDatabase } from '../../support/database.js';
import type { Answer } from '../../support/client.js';
import { untilLockWait } from '../../support/lock-table.js';
import type { TestApp } from '../start-app.js';
import { useApi, useApiStarts } from '../use-api.js';

describe('quota of placeholders that an operator lowered', () => {
  const startApp = useApiStarts();
  let database: TestDatabase;
  before(async () => {
    database = await freshDatabase();
  });
  after(() => database.drop());

  for (const [path, recipients] of [
    ['send', { to: '+15551234567', variables: { a: 'x' } }],
    ['bulk', { recipients: [{ to: '+15551234567', variables: { a: 'x' } }] }],
  ] as const) {
    it(`messages/${path}: a repeated request gets its first answer after the quota was lowered, and a new one 409`, async () => {
      const startWith = (max: string) => startApp({ MAX_PLACEHOLDERS: max }, { database });
      const earlier = await startWith('3');
      const { key } = await earlier.account();
      const body = { channel: 'sms', content: { text: '{{a}}'.repeat(3) }, ...recipients };
      const send = (app: TestApp, idempotencyKey: string) =>
        app.call('POST', `/api/v1/messages/${path}`, { key, body, headers: { 'Idempotency-Key': idempotencyKey } });
      const first = await send(earlier, 'used');
      const later = await startWith('2');
      const repeated = await send(later, 'used');
      assert.deepEqual([first.status, repeated.headers.get('Idempotent-Replayed'), repeated.body], [201, 'true', first.body]);
      assert.equal((await send(later, 'new')).status, 409);
    });
  }
});

describe('a send with variables that the former version accepted', () => {
  const app = useApi();

  it('a send with variables that the former version accepted gets its first answer when it is repeated', async () => {
    const { key } = await app.account();
    const [rendered, written, variables] = [{ text: 'Hello Ada' }, { text: 'Hello {{name}}' }, { name: 'Ada' }];
    const given = { to: '+15551234567', channel: 'sms', variables };
    const send = () =>
      app.call('POST', '/api/v1/messages/send', { key, body: { ...given, content: written }, headers: { 'Idempotency-Key': 'former' } });
    const first = await send();
    const former = digestRequest({ ...given, content: rendered, written });
    await rows(app.deps.db, 'UPDATE messages SET request_digest = $2 WHERE id = $1', [first.body.data.message.id, former]);
    assert.deepEqual((await send()).body, first.body);
  });
});

describe('a bulk send with expires_at that the former version accepted', () => {
  const app = useApi();

  it('a bulk send with expires_at that the former version accepted gets its first answer when it is repeated', async () => {
    const { key } = await app.account();
    const given = { channel: 'sms', content: { text: 'Hello' }, recipients: ['+15551234567'] };
    const send = (changes: object) =>
      app.call('POST', '/api/v1/messages/bulk', { key, body: { ...given, ...changes }, headers: { 'Idempotency-Key': 'former' } });
    const first = await send({}); // the former version dropped the field, so it made the digest of a request without it
    const expires_at = new Date(Date.now() + 3_600_000);
    const repeated = await send({ expires_at });
    assert.deepEqual([repeated.status, repeated.headers.get('Idempotent-Replayed'), repeated.body], [201, 'true', first.body]);
    assert.equal((await send({ expires_at, content: { text: 'Bye' } })).status, 422);
  });
});

describe('a send that a process of the former version is still storing', () => {
  const app = useApi();
  const headers = { 'Idempotency-Key': 'being-stored' };

  /** @returns the answer to the repeat, which begins before the row with the key is committed */
  async function repeatWhileStoring(table: 'batches' | 'messages', values: [id: string, digest: Buffer], repeat: () => Promise<Answer>) {
    const storing = await app.deps.db.transaction();
    const sql = `UPDATE ${table} SET idempotency_key = 'being-stored', request_digest = $2 WHERE id = $1`;
    await app.deps.db.query(sql, { bind: values, transaction: storing });
    const repeated = repeat();
    await untilLockWait(app.deps.db, 'the repeat waits for the first request');
    await storing.commit();
    return repeated;
  }

  it('a send with variables gets 201 and the first answer when the former version stores it meanwhile', async () => {
    const { key } = await app.account();
    const given = { to: '+15551234567', channel: 'sms', variables: { name: 'Ada' } };
    const send = (others: object) =>
      app.call('POST', '/api/v1/messages/send', { key, body: { ...given, content: { text: 'Hello {{name}}' } }, ...others });
    const first = await send({});
    const former = digestRequest({ ...given, content: { text: 'Hello Ada' }, written: { text: 'Hello {{name}}' } });
    const repeated = await repeatWhileStoring('messages', [first.body.data.message.id, former], () => send({ headers }));
    assert.deepEqual([repeated.status, repeated.body], [201, first.body]);
  });

  it('a bulk send with expires_at gets 201 and the first answer when the former version stores it meanwhile', async () => {
    const { key } = await app.account();
    const given = { channel: 'sms', content: { text: 'Hello' }, recipients: ['+15551234567'] };
    const send = (changes: object, others: object) =>
      app.call('POST', '/api/v1/messages/bulk', { key, body: { ...given, ...changes }, ...others });
    const first = await send({}, { headers: { 'Idempotency-Key': 'read' } });
    const { id } = first.body.data.batch;
    const [batch] = await rows<{ request_digest: Buffer }>(app.deps.db, 'SELECT request_digest FROM batches WHERE id = $1', [id]);
    const expires_at = new Date(Date.now() + 3_600_000);
    const repeat = () => send({ expires_at }, { headers });
    const repeated = await repeatWhileStoring('batches', [id, batch?.request_digest as Buffer], repeat);
    assert.deepEqual([repeated.status, repeated.body], [201, first.body]);
  });
});
