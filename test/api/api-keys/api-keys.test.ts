import assert from 'node:assert/strict';
import { inTransaction, select } from '../../../models/db/database.js';
import { digestApiKey, scopes } from '../../../models/rules/accounts/api-key.js';
import { until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { lockWaits, untilLockWait } from '../../support/lock-table.js';
import { assertRecent } from '../../support/measure/times.js';
import { useApi } from '../use-api.js';

const keys = '/api/v1/api-keys';

describe('API keys', () => {
  const app = useApi();

  it('201 for a new API key, which is shown once and stored as a keyed hash only', async () => {
    const { jwt: token } = await app.account();
    const { status, body } = await app.call('POST', keys, { jwt: token, body: { name: ' CI ', is_active: false } });
    assert.equal(status, 201);
    assert.match(body.data.key, /^tidings_[0-9A-Za-z]{38}$/);
    assert.equal(body.data.key_prefix, `${body.data.key.slice(0, 12)}...`);
    assert.deepEqual([body.data.name, body.data.scopes], ['CI', [...scopes]]);
    const [row] = await rows<{ digest: Buffer; text: string }>(
      app.deps.db,
      'SELECT digest, k::text AS text FROM api_keys k WHERE id = $1',
      [body.data.id],
    );
    assert.ok(row?.digest.equals(digestApiKey(app.deps.config.secretKey, body.data.key)));
    assert.ok(!row?.text.includes(body.data.key));
    const listed = await app.call('GET', keys, { jwt: token });
    assert.equal(listed.body.data.api_keys[0].id, body.data.id, 'newest first');
    assert.ok(!JSON.stringify(listed.body).includes(body.data.key));
  });
  it('400 for an API key with an unknown scope, an empty list or a wrong type', async () => {
    const { jwt: token } = await app.account();
    const enumText = `Invalid scopes. Must be one of: ${scopes.join(', ')}`;
    const cases: [unknown, string][] = [
      [['admin'], enumText],
      [[], enumText],
      ['send_messages', 'scopes must be an array'],
      [[5], 'scopes[0] must be a string'],
    ];
    for (const [given, text] of cases) {
      const { status, body } = await app.call('POST', keys, { jwt: token, body: { name: 'x', scopes: given } });
      assert.deepEqual([status, body.error], [400, text]);
    }
  });
  it('the list of API keys shows the last use of each', async () => {
    const { jwt: token, key } = await app.account();
    const used = async () => (await app.call('GET', keys, { jwt: token })).body.data.api_keys[0].last_used_at;
    assert.equal(await used(), null);
    await app.call('GET', '/api/v1/messages', { key });
    await until(async () => (await used()) !== null, 'the use is recorded');
    assertRecent(await used());
  });
  it('an API key that is used again within a minute keeps the time of its last use', async () => {
    const { jwt: token, key } = await app.account();
    const other = (await app.call('POST', keys, { jwt: token, body: { name: 'other' } })).body.data.key;
    const useUntilRecorded = async (used: string, name: string): Promise<string> => {
      await app.call('GET', '/api/v1/messages', { key: used });
      await until(async () => (await usedAt(name)) !== null, `the use of ${name} is recorded`);
      return (await usedAt(name)) ?? '';
    };
    const usedAt = async (name: string): Promise<string | null> =>
      (await app.call('GET', keys, { jwt: token })).body.data.api_keys.find((each: { name: string }) => each.name === name).last_used_at;
    const first = await useUntilRecorded(key, 'test');
    await app.call('GET', '/api/v1/messages', { key });
    await useUntilRecorded(other, 'other'); // uses are written in their order
    assert.equal(await usedAt('test'), first);
  });
  it('200 for an API key that is revoked, and again the second time, and 401 for its next use', async () => {
    const { jwt: token } = await app.account();
    const { body } = await app.call('POST', keys, { jwt: token, body: { name: 'x' } });
    const { id, key } = body.data;
    assert.equal((await app.call('GET', '/api/v1/messages', { key })).status, 200);
    for (let time = 1; time <= 2; time += 1) assert.equal((await app.call('DELETE', `${keys}/${id}`, { jwt: token })).status, 200);
    const refused = await app.call('GET', '/api/v1/messages', { key });
    assert.deepEqual([refused.status, refused.body.error], [401, 'API key has been deactivated']);
    const listed = await app.call('GET', keys, { jwt: token });
    assert.equal(listed.body.data.api_keys[0].is_active, false);
  });
  it('API keys are listed in pages', async () => {
    const { jwt: token } = await app.account();
    for (const name of ['b', 'c', 'd', 'e']) await app.call('POST', keys, { jwt: token, body: { name } });
    const { body } = await app.call('GET', `${keys}?page=2&limit=2`, { jwt: token });
    assert.deepEqual(
      body.data.api_keys.map(({ name }: { name: string }) => name),
      ['c', 'b'],
    );
    const { next_cursor, ...pagination } = body.data.pagination;
    assert.deepEqual([pagination, typeof next_cursor], [{ total: 5, page: 2, pages: 3, limit: 2 }, 'string']);
    const beyond = await app.call('GET', `${keys}?page=999999999999999&limit=100`, { jwt: token });
    assert.deepEqual(beyond.body.data.api_keys, []);
  });

  it('the first uses of ten API keys are written over one connection, which leaves the others free', async () => {
    const { db } = app.deps;
    const { jwt: token, workspaceId } = await app.account();
    const created = await Promise.all(Array.from({ length: 10 }, () => app.call('POST', keys, { jwt: token, body: { name: 'x' } })));
    const used = () => rows(db, 'SELECT 1 FROM api_keys WHERE workspace_id = $1 AND last_used_at IS NOT NULL', [workspaceId]);
    await inTransaction(db, async (transaction) => {
      await select(db, 'LOCK TABLE api_keys IN EXCLUSIVE MODE', [], transaction);
      const answers = await Promise.all(created.map(({ body }) => app.call('GET', '/api/v1/messages', { key: body.data.key })));
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
      await untilLockWait(db, 'a use is being written');
      assert.equal(await lockWaits(db), 1);
    });
    await until(async () => (await used()).length === created.length, 'all uses are written');
  });
});
