import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { eventTypes } from '../../../models/rules/webhooks/events.js';
import type { DeliveryStatus } from '../../../models/tables/delivery.js';
import { Webhook } from '../../../models/tables/webhook.js';
import { buildDeliveryIn, deliveryOf } from '../../support/rows/deliveries.js';
import { whileReplaced } from '../start-app.js';
import { useApi } from '../use-api.js';

const hooks = '/api/v1/webhooks';
const good = { url: 'https://127.0.0.1:9443/hook', events: ['message.queued', 'message.failed'] };

describe('a webhook that is changed or deleted', () => {
  const app = useApi();
  let jwt: string;
  let workspaceId: string;
  beforeEach(async () => {
    ({ jwt, workspaceId } = await app.account());
  });
  const create = async (body: object = good) => (await app.call('POST', hooks, { jwt, body })).body.data.webhook.id as string;

  const delivery = async (status: DeliveryStatus) => (await buildDeliveryIn(app.deps.db, workspaceId, status)).id;
  const statusOf = async (id: string) => (await deliveryOf(app.deps.db, id)).status;

  describe('PUT /api/v1/webhooks/:id', () => {
    const put = async (id: string, given: object) => {
      const { status, body } = await app.call('PUT', `${hooks}/${id}`, { jwt, body: given });
      assert.equal(status, 200);
      return body.data.webhook;
    };
    it('a change of a webhook wakes its retrier, also when the wake fails', async () => {
      const id = await create();
      const woken = async (change: object) => {
        await put(id, change);
        return app.calls.filter((call) => call === `retrier ${id}`).length;
      };
      assert.equal(await woken({ is_active: false }), 1);
      assert.equal(await woken({ description: 'nothing to settle' }), 1);
      assert.equal(await woken({ is_active: true }), 2);
      assert.equal(await woken({ url: 'https://8.8.8.8/other' }), 3);
      const failing = async () => Promise.reject(new Error('away'));
      await whileReplaced(app.deps.temporal, 'wakeRetrier', failing, () => put(id, { url: 'https://8.8.8.8/third' }));
    });
    it('a change of a webhook changes only the given fields', async () => {
      const id = await create();
      const changed = await put(id, { events: ['message.sent'], description: 'Shop', id: uuidv7(), created_at: 'x', secret: 'x' });
      assert.deepEqual([changed.id, changed.url, changed.events, changed.description], [id, good.url, ['message.sent'], 'Shop']);
      assert.equal((await put(id, { url: 'https://example.com/' })).url, 'https://example.com/');
      assert.deepEqual([(await put(id, {})).description, (await put(id, { url: null })).url], ['Shop', 'https://example.com/']);
      assert.equal((await put(id, { description: null })).description, null);
    });
    it('a webhook that is switched off holds open deliveries, and its reason is cleared when it is switched on', async () => {
      const id = await create();
      const pending = await delivery('pending');
      assert.equal((await put(id, { is_active: false })).is_active, false);
      assert.equal(await statusOf(pending), 'held');
      await Webhook.update({ disabled_reason: 'gone' }, { where: { id } });
      assert.equal((await app.call('GET', `${hooks}/${id}`, { jwt })).body.data.webhook.disabled_reason, 'gone');
      const { is_active, disabled_reason } = await put(id, { is_active: true });
      assert.deepEqual([is_active, disabled_reason, await statusOf(pending)], [true, null, 'held']);
    });
    for (const [body, text] of [
      [{ is_active: 'yes' }, 'is_active must be a boolean'],
      [{ events: [] }, `Invalid events. Must be one of: ${eventTypes.join(', ')}`],
      [{ url: 'http://x.y' }, 'Webhook URL must use HTTPS'],
      [{ url: '' }, 'Webhook URL must use HTTPS'],
      [{ url: 'https://192.168.0.1' }, 'Webhook URL must not point to a private address'],
    ] as [object, string][]) {
      it(`400 for a webhook that is changed to ${JSON.stringify(body)}, and it stays as it was`, async () => {
        const id = await create();
        const answer = await app.call('PUT', `${hooks}/${id}`, { jwt, body: { description: 'x', ...body } });
        assert.deepEqual([answer.status, answer.body.error], [400, text]);
        assert.equal((await app.call('GET', `${hooks}/${id}`, { jwt })).body.data.webhook.description, null);
      });
    }
  });

  it('200 for a deleted webhook, whose open deliveries end, and 404 afterwards', async () => {
    const id = await create();
    const [pending, done] = [await delivery('pending'), await delivery('succeeded')];
    assert.equal((await app.call('DELETE', `${hooks}/${id}`, { jwt })).status, 200);
    assert.deepEqual([await statusOf(pending), await statusOf(done)], ['failed', 'succeeded']);
    for (const [method, path] of [
      ['GET', ''],
      ['PUT', ''],
      ['DELETE', ''],
      ['GET', '/deliveries'],
    ] as const) {
      const answer = await app.call(method, `${hooks}/${id}${path}`, { jwt, ...(method === 'PUT' ? { body: {} } : {}) });
      assert.deepEqual([answer.status, answer.body.error], [404, 'Webhook not found']);
    }
    assert.deepEqual((await app.call('GET', hooks, { jwt })).body.data.webhooks, []);
  });
});
