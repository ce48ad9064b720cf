import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import type { Json } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { buildDelivery, buildDeliveryIn, settle } from '../../support/rows/deliveries.js';
import { buildWebhook } from '../../support/rows/factories.js';
import { useApi } from '../use-api.js';

describe('deliveries of a webhook', () => {
  const app = useApi();
  let jwt: string;
  let id: string;
  let ids: Record<string, string>;
  const at = (minute: number) => new Date(Date.now() - 3_600_000 + minute * 60_000);
  before(async () => {
    const account = await app.account();
    ({ jwt } = account);
    // Another webhook of the workspace, whose delivery is in no list of this one.
    await buildWebhook(account.workspaceId, 'https://127.0.0.1:9443/other');
    await buildDelivery(app.deps.db, account.workspaceId);
    await rows(app.deps.db, `UPDATE webhooks SET events = '{message.failed}'`);
    ({ id } = (await buildWebhook(account.workspaceId, 'https://127.0.0.1:9443/hook')).row);
    ids = {};
    for (const status of ['succeeded', 'failed', 'held', 'pending'] as const) {
      ids[status] = (await buildDeliveryIn(app.deps.db, account.workspaceId, status)).id;
    }
    for (const [status, attempts] of [
      ['failed', 3],
      ['pending', 1],
    ] as const) {
      for (let number = attempts; number >= 1; number -= 1) {
        const sql = `INSERT INTO delivery_attempts VALUES ($1, $2, now(), 'scheduled', 503, 'HTTP 503', 12, 'busy')`;
        await rows(app.deps.db, sql, [ids[status], number]);
      }
    }
  });

  const get = (path: string) => app.call('GET', `/api/v1/webhooks/${id}/deliveries${path}`, { jwt });
  const listed = async (query: string) => {
    const { status, body } = await get(query);
    assert.equal(status, 200);
    return body.data;
  };
  const found = async (query: string) => (await listed(`?${query}`)).deliveries.map(({ status }: { status: string }) => status);

  it('deliveries can be filtered by several statuses, newest first', async () => {
    assert.deepEqual(await found('status=failed,held'), ['held', 'failed']);
    assert.deepEqual(await found('status=held,held'), ['held']);
    assert.deepEqual(await found(''), ['pending', 'held', 'failed', 'succeeded']);
  });

  it('deliveries become held when their webhook is paused, and stay held when it is active again', async () => {
    const account = await app.account();
    const { row: webhook } = await buildWebhook(account.workspaceId, 'https://127.0.0.1:9443/hook');
    const { id: pending } = await buildDelivery(app.deps.db, account.workspaceId);
    const path = `/api/v1/webhooks/${webhook.id}`;
    const listed = async (status: string) => {
      const { data } = (await app.call('GET', `${path}/deliveries?status=${status}`, { jwt: account.jwt })).body;
      return [data.pagination.total, ...data.deliveries.map((row: Json) => [row.id, row.status, row.next_attempt_at])];
    };
    const put = (is_active: boolean) => app.call('PUT', path, { jwt: account.jwt, body: { is_active } });
    for (const step of [() => put(false), () => put(true), () => settle(app.deps.db, webhook.id)]) {
      await step();
      assert.deepEqual([await listed('pending'), await listed('held')], [[0], [1, [pending, 'held', null]]]);
      const { delivery } = (await app.call('GET', `${path}/deliveries/${pending}`, { jwt: account.jwt })).body.data;
      assert.deepEqual([delivery.status, delivery.next_attempt_at], ['held', null]);
    }
  });

  it('no time of the next attempt is shown while a delivery waits for its turn at an ordered webhook', async () => {
    const account = await app.account();
    const { row: webhook } = await buildWebhook(account.workspaceId, 'https://127.0.0.1:9443/hook');
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const [failing, waiting] = [
      await buildDelivery(app.deps.db, account.workspaceId),
      await buildDelivery(app.deps.db, account.workspaceId),
    ];
    await rows(app.deps.db, 'UPDATE deliveries SET next_attempt_at = $2 WHERE id = $1', [failing.id, later]);
    await rows(app.deps.db, `UPDATE deliveries SET next_attempt_at = now() - interval '1 minute' WHERE id = $1`, [waiting.id]);
    const times = async () => {
      const { data } = (await app.call('GET', `/api/v1/webhooks/${webhook.id}/deliveries`, { jwt: account.jwt })).body;
      return data.deliveries.map(({ next_attempt_at: time }: Json) => time);
    };
    assert.ok(Date.parse((await times())[0]) < Date.now(), 'without an order it is due');
    await webhook.update({ ordered: true });
    assert.deepEqual(await times(), [null, later]);
    await webhook.update({ resume_at: new Date(later) });
    assert.deepEqual(await times(), [later, later], 'the receiver asked to wait');
  });

  it('the list of deliveries shows all attempts in their order', async () => {
    const { deliveries, pagination } = await listed('');
    assert.deepEqual(
      deliveries.map(({ attempts }: { attempts: { number: number }[] }) => attempts.map(({ number }) => number)),
      [[1], [], [1, 2, 3], []],
    );
    assert.deepEqual(pagination, { total: 4, page: 1, pages: 1, limit: 50, next_cursor: null });
    const { at: attemptedAt, ...attempt } = deliveries[0].attempts[0];
    assert.ok(Date.parse(attemptedAt));
    assert.deepEqual(attempt, {
      number: 1,
      trigger: 'scheduled',
      response_status: 503,
      error: 'HTTP 503',
      duration_ms: 12,
      response_body: 'busy',
      url: null,
      request_headers: null,
      response_headers: null,
      timings: null,
      remote_address: null,
    });
  });

  it('deliveries can be filtered by event and message, in pages', async () => {
    const { message_id: messageId } = (await get(`/${ids.failed}`)).body.data.delivery;
    assert.deepEqual(await found(`message_id=${messageId}`), ['failed']);
    assert.deepEqual(await found('event=message.sent'), []);
    assert.equal((await found('event=message.queued')).length, 4);
    assert.deepEqual(await found('limit=1&page=2'), ['held']);
  });

  it('deliveries can be filtered by time, with both ends included', async () => {
    const { created_at: failedAt } = (await get(`/${ids.failed}`)).body.data.delivery;
    const { created_at: heldAt } = (await get(`/${ids.held}`)).body.data.delivery;
    const between = await found(`since=${failedAt}&until=${heldAt}`);
    assert.deepEqual([between.includes('failed'), between.includes('held')], [true, true]);
    assert.deepEqual(await found(`since=${at(61).toISOString()}`), []);
    assert.deepEqual(await found(`until=${at(0).toISOString()}`), []);
    assert.deepEqual(await found(`status=failed&since=${at(0).toISOString()}&until=${at(61).toISOString()}`), ['failed']);
  });

  for (const [query, text] of [
    ['status=failed,gone', 'Invalid status. Must be one of: pending, succeeded, failed, held'],
    ['status=', 'Invalid status. Must be one of: pending, succeeded, failed, held'],
    ['since=soon', 'Invalid date format'],
    ['until=', 'Invalid date format'],
  ] as const) {
    it(`400 for the list of deliveries with ${query}`, async () => {
      const { status, body } = await get(`?${query}`);
      assert.deepEqual([status, body.error], [400, text]);
    });
  }

  it('200 for one delivery as the list shows it, and 404 for an unknown one', async () => {
    const { status, body } = await get(`/${ids.failed}`);
    assert.deepEqual([status, body.data.delivery], [200, (await get('?status=failed')).body.data.deliveries[0]]);
    for (const none of [uuidv7(), 'x', '%00']) {
      const answer = await get(`/${none}`);
      assert.deepEqual([answer.status, answer.body.error], [404, 'Delivery not found']);
    }
  });
});
