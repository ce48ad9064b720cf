import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { Webhook } from '../../models/webhook.js';
import { rows } from '../support/database.js';
import { buildDelivery } from '../support/deliveries.js';
import { buildReplay, buildWebhook } from '../support/factories.js';
import { startApp, type TestApp } from './start-app.js';

const longAgo = '2020-01-01T00:00:00Z';

describe('replays', () => {
  let app: TestApp;
  let jwt: string;
  let workspaceId: string;
  let id: string;
  before(async () => {
    app = await startApp();
  });
  beforeEach(async () => {
    ({ jwt, workspaceId } = await app.account());
    id = (await buildWebhook(workspaceId, 'https://127.0.0.1:9443/hook')).row.id;
    app.calls.length = 0;
  });
  after(() => app.close());

  const call = (method: string, path: string, body?: object) =>
    app.call(method, `/api/v1/webhooks/${id}${path}`, { jwt, ...(body === undefined ? {} : { body }) });
  const begin = async (body: object = {}) => (await call('POST', '/replay', { since: longAgo, ...body })).body.data.replay;
  const list = async (query = '') => (await call('GET', `/replays${query}`)).body.data;
  const failed = async () => {
    const { id: deliveryId } = await buildDelivery(app.deps.db, workspaceId);
    await rows(app.deps.db, `UPDATE deliveries SET status = 'failed' WHERE id = $1`, [deliveryId]);
    return deliveryId;
  };

  it('dry_run only counts: nothing is begun, also not for an inactive webhook', async () => {
    for (let time = 1; time <= 2; time += 1) await failed();
    await Webhook.update({ is_active: false }, { where: { id } });
    const { id: noId, status, matched, created_at } = await begin({ dry_run: true });
    assert.deepEqual([noId, status, matched, created_at], [null, 'counted', 2, null]);
    assert.deepEqual([app.calls, (await list()).replays], [[], []]);
  });

  it('what has lost its body to age is not counted', async () => {
    await failed();
    const gone = await failed();
    await rows(app.deps.db, 'UPDATE events e SET body = NULL FROM deliveries d WHERE d.event_id = e.id AND d.id = $1', [gone]);
    assert.equal((await begin({ dry_run: true })).matched, 1);
  });

  it('one that takes nothing has ended when it is answered', async () => {
    const { status, matched, ended_at } = await begin();
    assert.deepEqual([status, matched, ended_at !== null, app.calls], ['completed', 0, true, []]);
  });

  it('are listed newest first, paged, and shown one by one', async () => {
    await failed();
    const [first, second] = [await begin(), await begin({ status: 'failed' })];
    const { replays, pagination } = await list('?limit=1');
    assert.deepEqual([replays, pagination], [[second], { total: 2, page: 1, pages: 2, limit: 1 }]);
    assert.deepEqual((await list('?limit=1&page=2')).replays, [first]);
    assert.deepEqual((await call('GET', `/replays/${first.id}`)).body.data.replay, first);
  });

  it('500 leaves nothing when it could not be asked for', async () => {
    await failed();
    const { replay } = app.deps.temporal;
    app.deps.temporal.replay = () => Promise.reject(new Error('away'));
    assert.equal((await call('POST', '/replay', { since: longAgo })).status, 500);
    app.deps.temporal.replay = replay;
    assert.deepEqual((await list()).replays, []);
  });

  it('are cancelled while they run; again is 200, 409 once they have ended otherwise', async () => {
    await failed();
    const { id: replayId } = await begin();
    const { status, body } = await call('POST', `/replays/${replayId}/cancel`);
    assert.deepEqual([status, body.data.replay.status, body.data.replay.ended_at !== null], [200, 'cancelled', true]);
    assert.deepEqual((await call('POST', `/replays/${replayId}/cancel`)).body.data, body.data);
    for (const ended of ['completed', 'stopped'] as const) {
      const other = await buildReplay(id, { status: ended });
      const answer = await call('POST', `/replays/${other.id}/cancel`);
      assert.deepEqual([answer.status, answer.body.error], [409, 'Replay can no longer be cancelled']);
    }
  });

  it('404 for an unknown or malformed one, and for one of another webhook', async () => {
    const { row: other } = await buildWebhook(workspaceId, 'https://example.com/');
    const foreign = await buildReplay(other.id);
    for (const replayId of [uuidv7(), 'x', '%00', foreign.id]) {
      for (const [method, path] of [
        ['GET', ''],
        ['POST', '/cancel'],
      ] as const) {
        const answer = await call(method, `/replays/${replayId}${path}`);
        assert.deepEqual([answer.status, answer.body.error], [404, 'Replay not found']);
      }
    }
    assert.equal((await foreign.reload()).status, 'running');
  });
});
