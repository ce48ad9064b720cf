import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { isUuid } from '../../../models/rules/values/text.js';
import type { DeliveryStatus } from '../../../models/tables/delivery.js';
import { Webhook } from '../../../models/tables/webhook.js';
import { rows } from '../../support/database.js';
import { buildDeliveryIn } from '../../support/rows/deliveries.js';
import { buildReplay, buildWebhook } from '../../support/rows/factories.js';
import { shiftClock } from '../../support/shift-clock.js';
import { assertRecent } from '../../support/measure/times.js';
import { type Answer, whileReplaced } from '../start-app.js';
import { useApi } from '../use-api.js';

const longAgo = '2020-01-01T00:00:00Z';
const farAhead = '2999-01-01T00:00:00Z';

describe('replays', () => {
  const app = useApi();
  let jwt: string;
  let workspaceId: string;
  let id: string;
  beforeEach(async () => {
    ({ jwt, workspaceId } = await app.account());
    id = (await buildWebhook(workspaceId, 'https://127.0.0.1:9443/hook')).row.id;
    app.calls.length = 0;
  });

  const call = (method: string, path: string, body?: object) =>
    app.call(method, `/api/v1/webhooks/${id}${path}`, { jwt, ...(body === undefined ? {} : { body }) });
  const dataOf = async (answer: Promise<Answer>) => {
    const { status, body } = await answer;
    assert.equal(status, 200);
    return body.data;
  };
  const begin = async (body: object = {}) => (await dataOf(call('POST', '/replay', { since: longAgo, ...body }))).replay;
  const list = (query = '') => dataOf(call('GET', `/replays${query}`));
  const delivery = async (status: DeliveryStatus) => (await buildDeliveryIn(app.deps.db, workspaceId, status)).id;
  const failed = () => delivery('failed');

  it('a replay counts failed and held deliveries, or those of the given status, within the time', async () => {
    for (const status of ['pending', 'succeeded', 'failed', 'held', 'held'] as const) await delivery(status);
    const { id: replayId, until, created_at, ...all } = await begin();
    assertRecent(until);
    assertRecent(created_at);
    assert.ok(isUuid(replayId));
    assert.deepEqual(all, {
      webhook_id: id,
      status: 'running',
      since: '2020-01-01T00:00:00.000Z',
      statuses: ['failed', 'held'],
      matched: 3,
      attempted: 0,
      acknowledged: 0,
      ended_at: null,
    });
    assert.deepEqual(app.calls, [`replay ${id} failed,held`]);
    const held = await begin({ status: 'held' });
    assert.deepEqual([held.statuses, held.matched], [['held'], 2]);
    assert.equal((await begin({ until: '2020-02-01T00:00:00Z' })).matched, 0);
    assert.equal((await begin({ since: new Date(Date.now() + 60_000).toISOString(), until: '2999-01-01T00:00:00Z' })).matched, 0);
    assert.equal(app.calls.length, 2, 'what matches nothing starts nothing');
  });
  it('a replay includes both ends of the time', async () => {
    await delivery('failed');
    const list = await call('GET', '/deliveries');
    const at = list.body.data.deliveries[0].created_at;
    assert.equal((await call('POST', '/replay', { since: at, until: at })).body.data.replay.matched, 1);
  });
  it('a replay includes all deliveries until now, also with an API clock 30 s behind', async () => {
    await failed();
    const setRight = shiftClock(-30_000);
    const replay = await begin().finally(setRight);
    assert.equal(replay.matched, 1);
  });
  it('a replay until a later time ends now, so that it sends no new events twice', async () => {
    await failed();
    for (const body of [{ until: farAhead }, { until: farAhead, dry_run: true }]) {
      const { matched, until } = await begin(body);
      assert.equal(matched, 1);
      assertRecent(until);
    }
  });
  it('a replay leaves out test deliveries', async () => {
    await call('POST', '/test');
    await rows(app.deps.db, `UPDATE deliveries SET status = 'failed' WHERE webhook_id = $1`, [id]);
    assert.equal((await call('POST', '/replay', { since: longAgo })).body.data.replay.matched, 0);
  });
  for (const [body, text] of [
    [{}, 'Missing required field: since'],
    [{ since: null }, 'Missing required field: since'],
    [{ since: '' }, 'Missing required field: since'],
    [{ since: 'soon' }, 'Invalid date format'],
    [{ since: 5 }, 'since must be a string'],
    [{ since: longAgo, until: '' }, 'Invalid date format'],
    [{ since: longAgo, until: '2019-01-01T00:00:00Z' }, 'until must not be before since'],
    [{ since: farAhead }, 'since must not be in the future'],
    [{ since: longAgo, status: 'gone' }, 'Invalid status. Must be one of: pending, succeeded, failed, held'],
  ] as [object, string][]) {
    it(`400 ${text} for a replay with ${JSON.stringify(body)}`, async () => {
      const answer = await call('POST', '/replay', body);
      assert.deepEqual([answer.status, answer.body.error, app.calls], [400, text, []]);
    });
  }

  it('200 for a dry run of a replay, which counts and starts nothing', async () => {
    for (let time = 1; time <= 2; time += 1) await failed();
    await Webhook.update({ is_active: false }, { where: { id } });
    const { id: noId, status, matched, created_at } = await begin({ dry_run: true });
    assert.deepEqual([noId, status, matched, created_at], [null, 'counted', 2, null]);
    assert.deepEqual([app.calls, (await list()).replays], [[], []]);
  });

  it('a replay leaves out deliveries whose body was deleted', async () => {
    await failed();
    const gone = await failed();
    await rows(app.deps.db, 'UPDATE events e SET body = NULL FROM deliveries d WHERE d.event_id = e.id AND d.id = $1', [gone]);
    assert.equal((await begin({ dry_run: true })).matched, 1);
  });

  it('a replay ends at once when it has no deliveries', async () => {
    const { status, matched, ended_at } = await begin();
    assert.deepEqual([status, matched, ended_at !== null, app.calls], ['completed', 0, true, []]);
  });

  it('the list of replays has pages, newest first, and each replay can be read', async () => {
    await failed();
    const [first, second] = [await begin(), await begin({ status: 'failed' })];
    const { replays, pagination } = await list('?limit=1');
    const { next_cursor, ...page } = pagination;
    assert.deepEqual([replays, page, typeof next_cursor], [[second], { total: 2, page: 1, pages: 2, limit: 1 }, 'string']);
    assert.deepEqual((await list('?limit=1&page=2')).replays, [first]);
    assert.deepEqual(await list(`/${first.id}`), { replay: first });
  });

  it('500 for a replay without Temporal, and nothing remains', async () => {
    await failed();
    const failing = () => Promise.reject(new Error('away'));
    const beginReplay = () => call('POST', '/replay', { since: longAgo });
    assert.equal((await whileReplaced(app.deps.temporal, 'replay', failing, beginReplay)).status, 500);
    assert.deepEqual((await list()).replays, []);
  });

  it('200 for the cancel of a running replay, 200 again, and 409 for an ended one', async () => {
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

  it('404 for an unknown, a malformed and a foreign replay', async () => {
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
