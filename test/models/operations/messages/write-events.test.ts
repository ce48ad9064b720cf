import assert from 'node:assert/strict';
import { inTransaction, select } from '../../../../models/db/database.js';
import { recordStatuses } from '../../../../models/operations/messages/record-statuses.js';
import type { StatusDetail } from '../../../../models/rules/messages/status.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildWebhook, buildWorkspace } from '../../../support/rows/factories.js';
import { acceptedAs, buildClaimed, buildQueuedGroup, buildSent, eventsOf } from '../../../support/rows/messages.js';
import { recordHandoffs } from '../../../support/rows/reports.js';

describe('the events of a status', () => {
  const test = useDatabase();

  const record = (id: string, to: 'delivered' | 'failed', status_detail: StatusDetail) =>
    test.db.transaction((transaction) => recordStatuses(test.db, transaction, { to, changes: [{ id, status_detail, at: new Date() }] }));

  it('events are due in order, also when the later transaction began first', async () => {
    const { id: workspaceId } = await buildWorkspace(test.db);
    await buildWebhook(workspaceId, 'https://one.example.test/');
    const claim = await buildClaimed(test.db, workspaceId);
    await inTransaction(test.db, async (transaction) => {
      await select(test.db, 'SELECT now()', [], transaction);
      await recordHandoffs(test.db, [acceptedAs(claim)]);
      const changes = [{ id: claim.id, status_detail: 'delivered' as const, at: new Date() }];
      await recordStatuses(test.db, transaction, { to: 'delivered', changes });
    });
    const due = await rows(test.db, 'SELECT event FROM deliveries WHERE message_id = $1 ORDER BY next_attempt_at', [claim.id]);
    assert.deepEqual(due, [{ event: 'message.queued' }, { event: 'message.sent' }, { event: 'message.delivered' }]);
  });

  it('events are delivered only to subscribed webhooks of the workspace', async () => {
    const [workspace, other] = [await buildWorkspace(test.db), await buildWorkspace(test.db)];
    const active = await buildWebhook(workspace.id, 'https://one.example.test/', { events: ['message.failed', 'message.sent'] });
    const paused = await buildWebhook(workspace.id, 'https://two.example.test/', { events: ['message.failed'], is_active: false });
    const deleted = await buildWebhook(workspace.id, 'https://three.example.test/');
    await buildWebhook(other.id, 'https://four.example.test/');
    await rows(test.db, 'UPDATE webhooks SET deleted_at = now() WHERE id = $1', [deleted.row.id]);
    const { id } = await buildSent(test.db, workspace.id);
    await record(id, 'failed', 'undeliverable');
    assert.deepEqual(await eventsOf(test.db, id), ['sent', 'failed'], 'nobody wanted to know that it was queued');
    const deliveries = await rows<{ webhook_id: string; event: string; status: string; next: boolean; group_id: string }>(
      test.db,
      'SELECT webhook_id, event, status, next_attempt_at IS NOT NULL AS next FROM deliveries WHERE message_id = $1 ORDER BY event DESC, status DESC',
      [id],
    );
    assert.deepEqual(deliveries, [
      { webhook_id: active.row.id, event: 'message.sent', status: 'pending', next: true },
      { webhook_id: active.row.id, event: 'message.failed', status: 'pending', next: true },
      { webhook_id: paused.row.id, event: 'message.failed', status: 'held', next: false },
    ]);
  });

  it('events of several messages are left to the retriers at once if there are many webhooks', async () => {
    const [many, few] = [await buildWorkspace(test.db), await buildWorkspace(test.db)];
    const urlOf = (number: number) => `https://${number}.example.test/`;
    for (const number of [1, 2, 3, 4, 5]) await buildWebhook(many.id, urlOf(number));
    for (const number of [6, 7]) await buildWebhook(few.id, urlOf(number));
    const { groupId, ids } = await buildQueuedGroup(test.db, many.id, [{}, {}, {}, { workspace_id: few.id }, { workspace_id: few.id }]);
    const made = await rows<{ place: number; pairs: number; carried: number; looked_at: number }>(
      test.db,
      `SELECT array_position($2::uuid[], message_id) AS place, count(DISTINCT (event_id, webhook_id)) AS pairs,
         count(*) FILTER (WHERE carried) AS carried, count(*) FILTER (WHERE NOT in_child) AS looked_at
       FROM deliveries WHERE group_id = $1 GROUP BY message_id ORDER BY 1`,
      [groupId, ids],
    );
    assert.deepEqual(made, [
      { place: 1, pairs: 5, carried: 5, looked_at: 5 }, // by the group, which wakes the retriers
      { place: 2, pairs: 5, carried: 5, looked_at: 0 },
      { place: 3, pairs: 5, carried: 5, looked_at: 0 },
      { place: 4, pairs: 2, carried: 0, looked_at: 2 },
      { place: 5, pairs: 2, carried: 0, looked_at: 2 },
    ]);
  });

  it('events of a single message are not left to the retriers, also with many webhooks', async () => {
    const { id: workspaceId } = await buildWorkspace(test.db);
    for (const number of [1, 2, 3, 4, 5]) await buildWebhook(workspaceId, `https://${number}.example.test/`);
    const { groupId } = await buildQueuedGroup(test.db, workspaceId, [{}]);
    const carried = await rows<{ carried: boolean }>(test.db, 'SELECT carried FROM deliveries WHERE group_id = $1', [groupId]);
    assert.deepEqual(
      carried,
      Array.from({ length: 5 }, () => ({ carried: false })),
    );
  });

  it('events get delivery numbers in their order', async () => {
    const workspace = await buildWorkspace(test.db);
    await buildWebhook(workspace.id, 'https://one.example.test/');
    const { id } = await buildSent(test.db, workspace.id);
    await record(id, 'delivered', 'delivered');
    const deliveries = await rows<{ event: string }>(test.db, 'SELECT event FROM deliveries WHERE message_id = $1 ORDER BY seq', [id]);
    assert.deepEqual(
      deliveries.map(({ event }) => event),
      ['message.queued', 'message.sent', 'message.delivered'],
    );
  });
});
