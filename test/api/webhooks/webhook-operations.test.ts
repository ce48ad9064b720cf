import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { decrypt } from '../../../models/rules/values/encryption.js';
import type { DeliveryStatus } from '../../../models/tables/delivery.js';
import { secretContext, Webhook } from '../../../models/tables/webhook.js';
import { rows } from '../../support/database.js';
import { buildDeliveryIn } from '../../support/rows/deliveries.js';
import { buildWebhook } from '../../support/rows/factories.js';
import { assertAbout } from '../../support/measure/times.js';
import { whileReplaced } from '../start-app.js';
import { useApi } from '../use-api.js';

const hooks = '/api/v1/webhooks';
const inactiveText = 'Webhook is inactive. Activate it before sending to it';

describe('webhook operations', () => {
  const app = useApi();
  let jwt: string;
  let key: string;
  let workspaceId: string;
  let id: string;
  let secret: string;
  beforeEach(async () => {
    ({ jwt, key, workspaceId } = await app.account());
    const built = await buildWebhook(workspaceId, 'https://127.0.0.1:9443/hook');
    ({ secret } = built);
    id = built.row.id;
    app.calls.length = 0;
  });

  const post = (path: string, body?: object) => app.call('POST', `${hooks}/${id}${path}`, { jwt, ...(body === undefined ? {} : { body }) });
  const delivery = async (status: DeliveryStatus) => (await buildDeliveryIn(app.deps.db, workspaceId, status)).id;
  const deactivate = () => Webhook.update({ is_active: false }, { where: { id } });
  const opened = async () => {
    const row = await Webhook.findByPk(id);
    const open = (bytes: Buffer | null | undefined) => bytes && decrypt(app.deps.config.secretKeys, secretContext(id), bytes);
    return { now: open(row?.secret), old: open(row?.old_secret), until: row?.old_secret_until ?? null };
  };
  const counts = () => rows(app.deps.db, 'SELECT (SELECT count(*) FROM events) AS events, (SELECT count(*) FROM deliveries) AS deliveries');

  it('200 for each operation of a webhook with a key that has the scope, and 403 without it', async () => {
    const resend = `/deliveries/${await delivery('failed')}/resend`;
    for (const [path, body, status] of [
      ['/test', undefined, 201],
      [resend, undefined, 200],
      ['/replay', { since: '2026-01-01T00:00:00Z' }, 200],
      ['/rotate-secret', undefined, 200],
    ] as const) {
      const answer = await app.call('POST', `${hooks}/${id}${path}`, { key, ...(body === undefined ? {} : { body }) });
      assert.equal(answer.status, status, path);
      const { key: other } = await app.account({ scopes: ['send_messages'] });
      assert.equal((await app.call('POST', `${hooks}/${id}${path}`, { key: other })).status, 403, path);
    }
  });

  it('409 for the operations of an inactive webhook, and nothing is sent', async () => {
    const held = await delivery('held');
    await deactivate();
    const earlier = await counts();
    for (const [path, body] of [
      ['/test', {}],
      [`/deliveries/${held}/resend`, {}],
      ['/replay', { since: '2026-01-01T00:00:00Z' }],
    ] as const) {
      const answer = await post(path, body);
      assert.deepEqual([answer.status, answer.body.code, answer.body.error], [409, 'conflict', inactiveText], path);
    }
    assert.deepEqual([await counts(), app.calls], [earlier, []]);
  });

  describe('POST /api/v1/webhooks/:id/test', () => {
    it('201 for the test of a webhook, with a listed delivery of a webhook.test event', async () => {
      const { status, body } = await post('/test');
      const { id: deliveryId, created_at, next_attempt_at, ...rest } = body.data.delivery;
      assert.equal(status, 201);
      assert.deepEqual(rest, {
        webhook_id: id,
        event: 'webhook.test',
        message_id: null,
        status: 'pending',
        attempts: [],
        delivered_at: null,
      });
      assert.ok(Date.parse(created_at) && Date.parse(next_attempt_at));
      assert.deepEqual(app.calls, [`test ${deliveryId}`]);
      const [event] = await rows<{ body: string }>(app.deps.db, 'SELECT body FROM events WHERE workspace_id = $1', [workspaceId]);
      const { timestamp, ...payload } = JSON.parse(event?.body ?? '');
      assert.ok(Date.parse(timestamp));
      assert.deepEqual(payload, { event: 'webhook.test', data: { webhook_id: id } });
      const list = await app.call('GET', `${hooks}/${id}/deliveries?event=webhook.test`, { jwt });
      assert.deepEqual(list.body.data.deliveries, [body.data.delivery]);
    });
    it('500 for the test of a webhook without Temporal, and nothing remains', async () => {
      const earlier = await counts();
      const failing = () => Promise.reject(new Error('away'));
      const { status } = await whileReplaced(app.deps.temporal, 'attempt', failing, () => post('/test'));
      assert.equal(status, 500);
      assert.deepEqual(await counts(), earlier);
    });
  });

  describe('POST /api/v1/webhooks/:id/deliveries/:delivery_id/resend', () => {
    for (const status of ['pending', 'succeeded', 'failed', 'held'] as const) {
      it(`200 for a resend, which requests one attempt of a ${status} delivery`, async () => {
        const deliveryId = await delivery(status);
        const answer = await post(`/deliveries/${deliveryId}/resend`);
        const { id: resent, status: now } = answer.body.data.delivery;
        assert.deepEqual([answer.status, resent, now, app.calls], [200, deliveryId, status, [`manual ${deliveryId}`]]);
      });
    }
    it('409 for the resend of a delivery whose body was deleted', async () => {
      const deliveryId = await delivery('failed');
      await rows(app.deps.db, 'UPDATE events SET body = NULL WHERE id = (SELECT event_id FROM deliveries WHERE id = $1)', [deliveryId]);
      const { status, body } = await post(`/deliveries/${deliveryId}/resend`);
      assert.deepEqual(
        [status, body.error, app.calls],
        [409, 'Delivery cannot be sent again, because the body of its event was deleted', []],
      );
    });
    it('404 for a resend whose webhook is deleted while the receiver is awaited', async () => {
      const deliveryId = await delivery('failed');
      const deleting = async () => void (await app.call('DELETE', `${hooks}/${id}`, { jwt }));
      const resend = () => post(`/deliveries/${deliveryId}/resend`);
      const { status, body } = await whileReplaced(app.deps.temporal, 'attempt', deleting, resend);
      assert.deepEqual([status, body.error], [404, 'Webhook not found']);
    });
    it('404 for the resend of an unknown, a malformed and a foreign delivery', async () => {
      const mine = await delivery('failed');
      const { row: other } = await buildWebhook(workspaceId, 'https://example.com/');
      for (const [webhookId, deliveryId] of [
        [id, uuidv7()],
        [id, 'x'],
        [id, '%00'],
        [other.id, mine],
      ] as const) {
        const answer = await app.call('POST', `${hooks}/${webhookId}/deliveries/${deliveryId}/resend`, { jwt });
        assert.deepEqual([answer.status, answer.body.error], [404, 'Delivery not found']);
      }
      const stranger = await app.account();
      const answer = await app.call('POST', `${hooks}/${id}/deliveries/${mine}/resend`, { jwt: stranger.jwt });
      assert.deepEqual([answer.status, answer.body.error, app.calls], [404, 'Webhook not found', []]);
    });
  });

  describe('POST /api/v1/webhooks/:id/rotate-secret', () => {
    it('200 for a rotated secret of a webhook, which is shown once, and the old one signs for a day', async () => {
      const { status, body } = await post('/rotate-secret');
      assert.deepEqual([status, Object.keys(body.data)], [200, ['webhook', 'secret', 'warning']]);
      assert.match(body.data.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
      const { now, old, until } = await opened();
      assert.deepEqual([now, old, body.data.webhook.id], [body.data.secret, secret, id]);
      assertAbout(until, Date.now() + 86_400_000);
      assert.ok(body.data.warning.includes(until?.toISOString()));
      assert.ok(!JSON.stringify((await app.call('GET', `${hooks}/${id}`, { jwt })).body).includes('whsec_'));
    });
    it('the old secret of a webhook ends at once with overlap_hours 0, and signs for a week with 168', async () => {
      assert.equal((await post('/rotate-secret', { overlap_hours: 168 })).status, 200);
      assertAbout((await opened()).until, Date.now() + 168 * 3_600_000);
      const { status, body } = await post('/rotate-secret', { overlap_hours: 0 });
      assert.equal(status, 200);
      assert.deepEqual(await opened(), { now: body.data.secret, old: null, until: null });
    });
    it('200 for two rotations of a secret at once, both with a valid one', async () => {
      const [one, two] = await Promise.all([post('/rotate-secret'), post('/rotate-secret')]);
      const { now, old } = await opened();
      assert.deepEqual([one.status, two.status], [200, 200]);
      assert.deepEqual(new Set([one, two].map(({ body }) => body.data.secret)), new Set([now, old]));
    });
    for (const overlap_hours of [-1, 169, 1.5, '24']) {
      it(`400 for the rotation of a secret with overlap_hours ${JSON.stringify(overlap_hours)}, and the secret stays`, async () => {
        const answer = await post('/rotate-secret', { overlap_hours });
        const text = overlap_hours === '24' ? 'a number' : 'a whole number from 0 to 168';
        assert.deepEqual([answer.status, answer.body.error], [400, `overlap_hours must be ${text}`]);
        assert.equal((await opened()).now, secret);
      });
    }
  });
});
