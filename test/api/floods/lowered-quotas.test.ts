import assert from 'node:assert/strict';
import { freshDatabase, type TestDatabase } from '../../support/database.js';
import type { TestApp } from '../start-app.js';
import { useApiStarts } from '../use-api.js';

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
    it(`${path}: the first answer for a repeated request, 409 for a new one`, async () => {
      const startWith = (max: string) => startApp({ MAX_PLACEHOLDERS: max }, {}, undefined, database);
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
