import assert from 'node:assert/strict';
import type { Client } from 'pg';
import { type Database, openPool, select } from '../../../models/db/database.js';
import { beginReplay } from '../../../models/operations/replays/begin-replay.js';
import { countForDryRun } from '../../../models/operations/replays/replay-deliveries.js';
import { byTest } from '../../support/by-test.js';
import { until } from '../../support/client.js';
import { lockWaits, untilLockWait } from '../../support/lock-table.js';
import { buildDelivery } from '../../support/rows/deliveries.js';
import { buildReplay, buildWebhook } from '../../support/rows/factories.js';
import type { Account, Answer } from '../start-app.js';
import { useApi } from '../use-api.js';

const atOnce = (count: number, ask: () => Promise<Answer>) => Array.from({ length: count }, ask);
const count = (answers: Answer[], status: number) => answers.filter((answer) => answer.status === status).length;
const sms = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };
const sinceEver = { since: '2020-01-01T00:00:00Z' };

describe('costly reads', () => {
  // Half of the six connections of the main thread are for them.
  const app = useApi({ env: { DATABASE_POOL_MAX: '10', MAX_REPLAYS: '1' } });
  /** Without models: those stay with the API. */
  let outside: Database;
  let hostile: Account;
  let other: Account;
  before(() => {
    outside = openPool(app.deps.config.databaseUrl, 2);
    // The service gives up after five seconds. On a busy machine a test holds its table for longer.
    app.deps.db.addHook('afterConnect', async (connection) => void (await (connection as Client).query(`SET lock_timeout = '25s'`)));
  });
  after(() => outside.close());
  beforeEach(async () => {
    [hostile, other] = [await app.account(), await app.account()];
  });

  /** Holds a table, so that every read of it waits until the work is done. */
  const whileHeld = (table: string, work: () => Promise<void>) =>
    outside.transaction(async (transaction) => {
      await select(outside, 'SET LOCAL idle_in_transaction_session_timeout = 0', [], transaction);
      await select(outside, `LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`, [], transaction);
      await work();
    });
  const untilWaiting = (wanted: number) => untilLockWait(outside, `${wanted} statements wait`, wanted);
  const search = ({ jwt }: Account) => app.call('GET', '/api/v1/contacts?search=a', { jwt });

  it('201 and 200 for sends and reads of others while twenty searches of a workspace hang', async () => {
    const { key } = other;
    const { body } = await app.call('POST', '/api/v1/messages/send', { key, body: sms });
    let ended = 0;
    let searches: Promise<Answer>[] = [];
    await whileHeld('contacts', async () => {
      searches = atOnce(20, () => search(hostile).finally(() => (ended += 1)));
      await untilWaiting(2);
      const answers = [
        await app.call('POST', '/api/v1/messages/send', { key, body: sms }),
        await app.call('GET', `/api/v1/messages/${body.data.message.id}`, { key }),
        await app.call('GET', '/api/v1/messages', { key }),
        await app.call('GET', `/api/v1/messages/${body.data.message.id}/timeline`, { key }),
        await app.call('POST', '/api/v1/messages/send', { key: hostile.key, body: sms }),
      ];
      assert.deepEqual([answers.map(({ status }) => status), await lockWaits(outside)], [[201, 200, 200, 200, 201], 2]);
      assert.equal(ended, 0);
    });
    assert.equal(count(await Promise.all(searches), 200), 20, 'the searches take turns');
  });

  it('201 for sends of others while twenty lists of a workspace hang, two at a time', async () => {
    let lists: Promise<Answer>[] = [];
    await whileHeld('audit_events', async () => {
      lists = atOnce(20, () => app.call('GET', '/api/v1/audit-events', { jwt: hostile.jwt }));
      await untilWaiting(2);
      const { status } = await app.call('POST', '/api/v1/messages/send', { key: other.key, body: sms });
      assert.deepEqual([status, await lockWaits(outside)], [201, 2]);
    });
    assert.equal(count(await Promise.all(lists), 200), 20);
  });

  it('costly reads leave half of the connections to others, however many workspaces search', async () => {
    const many = [hostile, await app.account(), await app.account()];
    let searches: Promise<Answer>[] = [];
    await whileHeld('contacts', async () => {
      searches = many.flatMap((account) => atOnce(5, () => search(account)));
      await untilWaiting(3);
      const { status } = await app.call('POST', '/api/v1/messages/send', { key: other.key, body: sms });
      assert.deepEqual([status, await lockWaits(outside)], [201, 3]);
    });
    assert.equal(count(await Promise.all(searches), 200), 15);
  });

  it('503 with Retry-After for a search beyond two hundred that wait', async () => {
    let searches: Promise<Answer>[] = [];
    const answers: Answer[] = [];
    const begunAt = performance.now();
    await whileHeld('contacts', async () => {
      searches = atOnce(205, () => search(hostile));
      for (const one of searches) void one.then((answer) => answers.push(answer));
      await until(() => answers.length === 3, 'the last ones are refused');
    });
    for (const { status, body, headers } of answers.slice(0, 3))
      assert.deepEqual([status, body.code, headers.get('retry-after')], [503, 'unavailable', '1']);
    const refused = count(await Promise.all(searches), 503);
    assert.ok(refused === 3 || performance.now() - begunAt > 10_000, `${refused}; others wait ten seconds for a turn`);
  });

  it('400 at once for a search with a fault, without a turn', async () => {
    let searches: Promise<Answer>[] = [];
    await whileHeld('contacts', async () => {
      searches = atOnce(3, () => search(hostile));
      await untilWaiting(2);
      assert.equal((await app.call('GET', '/api/v1/contacts?limit=0', { jwt: hostile.jwt })).status, 400);
    });
    await Promise.all(searches);
  });

  it('409 for a replay above the quota, before its deliveries are counted', async () => {
    const { row } = await buildWebhook(hostile.workspaceId, 'https://127.0.0.1:9443/hook');
    await buildReplay(row.id);
    await whileHeld('deliveries', async () => {
      const { status, body } = await app.call('POST', `/api/v1/webhooks/${row.id}/replay`, { jwt: hostile.jwt, body: sinceEver });
      assert.deepEqual([status, body.code], [409, 'limit_reached']);
    });
  });

  it('two dry runs of a workspace are counted at a time', async () => {
    const { row } = await buildWebhook(hostile.workspaceId, 'https://127.0.0.1:9443/hook');
    const dryRun = () => app.call('POST', `/api/v1/webhooks/${row.id}/replay`, { jwt: hostile.jwt, body: { ...sinceEver, dry_run: true } });
    let runs: Promise<Answer>[] = [];
    await whileHeld('deliveries', async () => {
      runs = atOnce(12, dryRun);
      await untilWaiting(2);
      const { status } = await app.call('GET', '/api/v1/contacts', { jwt: other.jwt });
      assert.deepEqual([status, await lockWaits(outside)], [200, 2]);
    });
    assert.equal(count(await Promise.all(runs), 200), 12);
  });

  it('a dry run of more deliveries than it counts is refused as limit_reached', async () => {
    const { row } = await buildWebhook(hostile.workspaceId, 'https://127.0.0.1:9443/hook');
    for (let time = 1; time <= 3; time += 1) await buildDelivery(app.deps.db, hostile.workspaceId);
    const range = { webhookId: row.id, since: new Date(0), until: new Date(Date.now() + 60_000), statuses: ['pending'] as const };
    await assert.rejects(countForDryRun(app.deps.db, range, 2), {
      code: 'limit_reached',
      message: 'A dry run of a replay can have at most 2 deliveries',
    });
    assert.equal(await countForDryRun(app.deps.db, range, 3), 3);
  });

  it('a replay of more deliveries than it counts begins, and shows no number', async () => {
    const { workspaceId, jwt } = await app.account();
    const { row } = await buildWebhook(workspaceId, 'https://127.0.0.1:9443/hook');
    for (let time = 1; time <= 3; time += 1) await buildDelivery(app.deps.db, workspaceId);
    const range = { webhookId: row.id, since: new Date(0), until: new Date(Date.now() + 60_000), statuses: ['pending'] as const };
    const begin = (countedMax: number) => {
      const turn = <Count>(read: () => Promise<Count>) => read();
      return beginReplay(app.deps.db, range, { workspaceId, of: 'replays', max: 5 }, { origin: byTest, turn, countedMax });
    };
    const matched = await Promise.all(
      [2, 3].map(async (countedMax) => {
        const { id } = await begin(countedMax);
        return (await app.call('GET', `/api/v1/webhooks/${row.id}/replays/${id}`, { jwt })).body.data.replay.matched;
      }),
    );
    assert.deepEqual(matched, [null, 3]);
  });
});
