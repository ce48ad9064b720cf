import assert from 'node:assert/strict';
import { MockActivityEnvironment } from '@temporalio/testing';
import { Webhook as Verifier } from 'standardwebhooks';
import { updateWebhook } from '../../../models/operations/webhooks/update-webhook.js';
import { Webhook } from '../../../models/tables/webhook.js';
import { rows } from '../../support/database.js';
import { attemptsOf, deliveryOf } from '../../support/rows/deliveries.js';
import { buildWebhook } from '../../support/rows/factories.js';
import { buildSent } from '../../support/rows/messages.js';
import { answerWith, type Receiver } from '../../support/network/receiver.js';
import { byTest } from '../../support/by-test.js';
import { useDeliverEvents } from './use-deliver-events.js';

describe('deliverEvents', () => {
  const { test, activitiesWith, leave, deliver, subscribe, deliveriesOf } = useDeliverEvents();
  const eventsOf = ({ received }: Receiver) => received.map(({ headers }) => headers['x-service-event']);

  it('the events of a message are delivered in order, byte for byte, signed and once', async () => {
    const { receiver, row, secret } = await subscribe();
    const message = await buildSent(test.db, test.workspaceId, { metadata: { zwei: 'Grüße', eins: [1.5] } });
    assert.deepEqual(await deliver(message.group_id), []);
    assert.deepEqual(eventsOf(receiver), ['message.queued', 'message.sent']);
    const events = await rows<{ id: string; body: string }>(test.db, 'SELECT id, body FROM events WHERE message_id = $1 ORDER BY seq', [
      message.id,
    ]);
    for (const [index, { headers, body }] of receiver.received.entries()) {
      assert.equal(body, events[index]?.body);
      assert.equal(headers['webhook-id'], events[index]?.id);
      new Verifier(secret).verify(body, headers as Record<string, string>);
    }
    assert.deepEqual(
      (await deliveriesOf(message.id, row.id)).map(({ status }) => status),
      ['succeeded', 'succeeded'],
    );
    assert.deepEqual(await deliver(message.group_id), [], 'nothing is delivered twice');
    assert.equal(receiver.received.length, 2);
  });

  it('a webhook is left to its retrier after the first failure, with all later events', async () => {
    const { receiver, row } = await subscribe(answerWith(500));
    const message = await buildSent(test.db, test.workspaceId);
    const left = await deliver(message.group_id);
    const deliveries = await deliveriesOf(message.id, row.id);
    assert.deepEqual(left, [row.id]);
    assert.deepEqual(eventsOf(receiver), ['message.queued']);
    assert.deepEqual(
      deliveries.map(({ status, in_child }) => [status, in_child]),
      [
        ['pending', true],
        ['pending', true],
      ],
    );
    assert.deepEqual(await deliver(message.group_id), [], 'the retrier has them now');
  });

  it('a hanging endpoint delays no other one', async () => {
    const [good, hanging] = [await subscribe(), await subscribe(() => undefined)];
    const activities = activitiesWith();
    const [first, second] = [await buildSent(test.db, test.workspaceId), await buildSent(test.db, test.workspaceId)];
    const working = deliver(first.group_id, activities);
    await good.receiver.untilReceived(2);
    assert.equal((await deliveriesOf(first.id, hanging.row.id))[0]?.status, 'pending', 'the good one was served while the other hangs');
    assert.deepEqual(await working, [hanging.row.id]);
    assert.deepEqual(await deliver(second.group_id, activities), [], 'its retrier is on its way');
    assert.equal(hanging.receiver.received.length, 1, 'known as hanging, it is not tried');
    assert.equal(good.receiver.received.length, 4);
  });

  it('an endpoint that answers 410 is disabled, and gets nothing more', async () => {
    const { receiver, row } = await subscribe(answerWith(410));
    const message = await buildSent(test.db, test.workspaceId);
    assert.deepEqual(await deliver(message.group_id), []);
    assert.equal(receiver.received.length, 1);
    assert.deepEqual(
      await Promise.all((await deliveriesOf(message.id, row.id)).map(async ({ id }) => (await deliveryOf(test.db, id)).status)),
      ['failed', 'held'],
    );
    const { is_active, disabled_reason } = await Webhook.owned(test.workspaceId, row.id);
    assert.deepEqual([is_active, disabled_reason], [false, 'The endpoint returned 410 Gone']);
  });

  it('a webhook that is paused during the round gets nothing more', async () => {
    const { receiver, row } = await subscribe();
    const message = await buildSent(test.db, test.workspaceId);
    receiver.answer = (_received, response) => {
      const paused = { is_active: false };
      void updateWebhook(test.db, test.workspaceId, row.id, paused, byTest).then(() => response.writeHead(200).end());
    };
    assert.deepEqual(await deliver(message.group_id), []);
    assert.equal(receiver.received.length, 1);
    assert.equal((await deliveryOf(test.db, (await deliveriesOf(message.id, row.id))[1]?.id ?? '')).status, 'held');
  });

  it('a webhook gets nothing from a worker that has lost the call to another one while it read the events', async () => {
    const { receiver, row } = await subscribe();
    const message = await buildSent(test.db, test.workspaceId);
    const environment = new MockActivityEnvironment();
    const call = environment.run(() => activitiesWith().deliverEvents(message.group_id));
    environment.cancel();
    await assert.rejects(call, { type: 'Ended', nonRetryable: false });
    assert.deepEqual(receiver.received, []);
    assert.deepEqual(
      (await deliveriesOf(message.id, row.id)).map(({ status }) => status),
      ['pending', 'pending'],
    );
  });

  it('the deliveries of an inactive webhook are held', async () => {
    const { receiver, row } = await subscribe();
    const message = await buildSent(test.db, test.workspaceId);
    await Webhook.update({ is_active: false }, { where: { id: row.id } });
    assert.deepEqual(await deliver(message.group_id), []);
    assert.deepEqual(receiver.received, []);
    assert.deepEqual(
      (await deliveriesOf(message.id, row.id)).map(({ status }) => status),
      ['held', 'held'],
    );
  });

  it('a delivery to a name with a forbidden address is repeated, because the name may get another one', async () => {
    const { row } = await buildWebhook(test.workspaceId, 'https://hook.localhost:8443/'); // has the address ::1, which is not allowed
    const message = await buildSent(test.db, test.workspaceId);
    assert.deepEqual(await deliver(message.group_id), [row.id]);
    const [first] = await deliveriesOf(message.id, row.id);
    assert.equal(first?.status, 'pending');
    assert.deepEqual(
      (await attemptsOf(test.db, first?.id ?? '')).map(({ error }) => error),
      ['blocked_address'],
    );
  });

  it('a delivery to a forbidden address fails at once, with the reason', async () => {
    const { row } = await buildWebhook(test.workspaceId, 'https://10.0.0.1/');
    const message = await buildSent(test.db, test.workspaceId);
    assert.deepEqual(await deliver(message.group_id), []);
    const [first] = await deliveriesOf(message.id, row.id);
    assert.equal(first?.status, 'failed');
    assert.deepEqual(
      (await attemptsOf(test.db, first?.id ?? '')).map(({ error }) => error),
      ['blocked_address'],
    );
  });

  it('a repeated call finds deliveries that an earlier one left to the retrier, and does not attempt them', async () => {
    const { row } = await subscribe(answerWith(500));
    const message = await buildSent(test.db, test.workspaceId);
    await deliver(message.group_id);
    assert.deepEqual(await deliver(message.group_id, activitiesWith(), 2), [row.id]);
    const [first] = await deliveriesOf(message.id, row.id);
    assert.equal((await deliveryOf(test.db, first?.id ?? '')).status, 'pending');
    assert.equal((await attemptsOf(test.db, first?.id ?? '')).length, 1, 'and does not attempt it');
  });

  it('every event is left to its own child if the setting asks for it', async () => {
    const { receiver, row } = await subscribe();
    const message = await buildSent(test.db, test.workspaceId);
    const { children, retriers } = await leave(message.group_id, activitiesWith({ WEBHOOK_FIRST_ATTEMPT: 'child' }));
    assert.deepEqual(retriers, []);
    assert.deepEqual(
      children,
      (await deliveriesOf(message.id, row.id)).map(({ id }) => ({ webhookId: row.id, deliveryIds: [id] })),
    );
    assert.deepEqual(receiver.received, []);
  });

  it('an event is signed with the old secret too during the overlap of a rotation', async () => {
    const { receiver, row, secret } = await subscribe();
    const { secret: old } = await subscribe();
    const sealed = (await rows<{ secret: Buffer }>(test.db, 'SELECT secret FROM webhooks WHERE id = $1', [row.id]))[0]?.secret;
    for (const [until, count] of [
      [new Date(Date.now() + 60_000), 2],
      [new Date(Date.now() - 1), 1],
    ] as const) {
      await Webhook.update({ old_secret: sealed ?? null, old_secret_until: until }, { where: { id: row.id } });
      receiver.received.splice(0);
      await deliver((await buildSent(test.db, test.workspaceId)).group_id);
      const [received] = receiver.received;
      assert.ok(received);
      const { headers, body } = received;
      assert.equal(String(headers['webhook-signature']).split(' ').length, count);
      new Verifier(secret).verify(body, headers as Record<string, string>);
      assert.throws(() => new Verifier(old).verify(body, headers as Record<string, string>));
    }
  });
});
