import assert from 'node:assert/strict';
import * as givingUp from '../../../../models/operations/handoff/give-up.js';
import { forEachChannel } from '../../../../models/channels.js';
import { workMetrics } from '../../../../models/metrics/catalogue.js';
import { rows } from '../../../support/database.js';
import { buildQueued, buildWebhook } from '../../../support/rows/factories.js';
import { buildPage } from '../batches/new-batch.js';
import { workspaceForEach } from '../../../support/for-each.js';
import {
  balanceOf,
  buildClaimed,
  buildQueuedGroup,
  buildSent,
  eventsOf,
  giveUpNow,
  ledgerOf,
  messageOf,
  reportOf,
  statusOf,
} from '../../../support/rows/messages.js';
import { applyReports, giveUpOnReports, recordHandoffs, recordReports } from '../../../support/rows/reports.js';

describe('giving up', () => {
  const test = workspaceForEach({ balance: 5_000 });
  beforeEach(() => buildWebhook(test.workspaceId, 'https://one.example.test/'));

  const closedAt = async (groupId: string) =>
    (await rows<{ closed_at: Date | null }>(test.db, 'SELECT closed_at FROM message_groups WHERE id = $1', [groupId]))[0]?.closed_at;

  const notedUnknown = async () => {
    const { values } = await workMetrics.handoffs.get();
    return values.find(({ labels }) => labels.account === 'sandbox' && labels.outcome === 'handoff_unknown')?.value ?? 0;
  };

  it('giveUpOnReports leaves a message sent and unknown, without an event or a refund, and closes the group once', async () => {
    const { id, group_id } = await buildSent(test.db, test.workspaceId);
    assert.deepEqual(await giveUpOnReports(test.db, group_id), { open: 0 });
    const closed = await closedAt(group_id);
    assert.ok(closed);
    assert.deepEqual(await giveUpOnReports(test.db, group_id), { open: 0 });
    assert.deepEqual(await closedAt(group_id), closed);
    assert.equal(await statusOf(test.db, id), 'sent/unknown');
    assert.deepEqual(await eventsOf(test.db, id), ['queued', 'sent']);
    assert.equal(await balanceOf(test.db, test.workspaceId), 4_000);
  });

  it('giveUpOnReports does nothing while the inbox holds a report', async () => {
    const message = await buildSent(test.db, test.workspaceId);
    await recordReports(test.db, [reportOf(message, 'delivered')]);
    assert.deepEqual(await giveUpOnReports(test.db, message.group_id), { open: 1 });
    assert.equal(await statusOf(test.db, message.id), 'sent/awaiting_report');
    assert.equal(await closedAt(message.group_id), null);
    await applyReports(test.db, message.group_id);
    assert.equal(await statusOf(test.db, message.id), 'delivered/delivered');
  });

  it('giveUpOnReports gives up only on messages whose time is over, each by the timeout of its channel', async () => {
    const sentSecondsAgo = async (channel: 'sms' | 'email', seconds: number) => {
      const { id, group_id } = await buildSent(test.db, test.workspaceId, { channel });
      await rows(test.db, `UPDATE messages SET sent_at = now() - $2 * interval '1 second' WHERE id = $1`, [id, seconds]);
      return { id, group_id };
    };
    const over = await sentSecondsAgo('sms', 310);
    const others = [await sentSecondsAgo('sms', 290), await sentSecondsAgo('email', 310)];
    for (const { id } of others) await rows(test.db, 'UPDATE messages SET group_id = $1 WHERE id = $2', [over.group_id, id]);
    const overdue = { at: new Date().toISOString(), timeoutSeconds: { ...forEachChannel(() => 0), sms: 300, email: 600 } };
    assert.deepEqual(await givingUp.giveUpOnReports(test.db, over.group_id, overdue), { open: 2 });
    assert.equal(await statusOf(test.db, over.id), 'sent/unknown');
    for (const { id } of others) assert.equal(await statusOf(test.db, id), 'sent/awaiting_report');
  });

  it('giveUpOnReports leaves queued messages queued and their group open', async () => {
    const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [{}]);
    assert.deepEqual(await giveUpOnReports(test.db, groupId), { open: 1 });
    assert.equal(await statusOf(test.db, ids[0] ?? ''), 'queued/accepted');
    assert.equal(await closedAt(groupId), null);
  });

  it('giveUpOnHandoffs fails and refunds what no provider accepted, and closes the group', async () => {
    const { id, attempt } = await buildClaimed(test.db, test.workspaceId);
    await recordHandoffs(test.db, [{ id, attempt, provider: 'sandbox', outcome: 'throttled', detail: '429' }]);
    const { group_id } = await messageOf(test.db, id);
    for (const _ of [1, 2]) assert.deepEqual(await giveUpNow(test.db, group_id), { open: 0 });
    const { status, status_detail, error_code, credits_used } = await messageOf(test.db, id);
    assert.deepEqual(
      { status, status_detail, error_code, credits_used },
      { status: 'failed', status_detail: 'undeliverable', error_code: 'provider_unavailable', credits_used: 0 },
    );
    assert.deepEqual(await eventsOf(test.db, id), ['queued', 'failed']);
    assert.deepEqual(await ledgerOf(test.db, test.workspaceId), ['grant 5000', 'debit -1000', 'refund 1000']);
    assert.ok(await closedAt(group_id));
  });

  for (const [how, outcome] of [
    ['died in a call', null],
    ['got no answer', 'unknown'],
  ] as const) {
    it(`a message whose last attempt ${how} is given up as handoff_unknown, and a later report corrects it`, async () => {
      const { id, attempt } = await buildClaimed(test.db, test.workspaceId);
      const { group_id } = await messageOf(test.db, id);
      if (outcome !== null) await recordHandoffs(test.db, [{ id, attempt, provider: 'sandbox', outcome, detail: 'reset' }]);
      const noted = await notedUnknown();
      await giveUpNow(test.db, group_id);
      assert.equal((await messageOf(test.db, id)).error_code, 'handoff_unknown');
      assert.equal((await notedUnknown()) - noted, 1, 'the alert of handoff_unknown sees it');
      assert.equal(await balanceOf(test.db, test.workspaceId), 5_000);
      const wakes = await recordReports(test.db, [reportOf({ id, provider_message_id: `late-${id}` }, 'delivered')]);
      assert.deepEqual(
        wakes.map(({ late }) => late),
        [true],
      );
      await applyReports(test.db, group_id);
      assert.equal(await statusOf(test.db, id), 'delivered/delivered');
      const { provider, provider_message_id } = await messageOf(test.db, id);
      assert.deepEqual([provider, provider_message_id], ['sandbox', `late-${id}`]);
      assert.equal(await balanceOf(test.db, test.workspaceId), 5_000, 'what was refunded stays refunded');
    });
  }

  it('giveUpOnHandoffs leaves messages that were handed off', async () => {
    const { groupId } = await buildQueuedGroup(test.db, test.workspaceId, [{}]);
    const sent = await buildSent(test.db, test.workspaceId);
    await rows(test.db, 'UPDATE messages SET group_id = $1 WHERE id = $2', [groupId, sent.id]);
    assert.deepEqual(await giveUpNow(test.db, groupId), { open: 1 });
    assert.equal(await statusOf(test.db, sent.id), 'sent/awaiting_report');
    assert.equal(await closedAt(groupId), null);
  });

  it('giveUpOnHandoffs first writes the queued events of a page that is not open yet', async () => {
    const { groupId, ids } = await buildPage(test.db, test.workspaceId);
    await giveUpNow(test.db, groupId);
    for (const id of ids) assert.deepEqual(await eventsOf(test.db, id), ['queued', 'failed']);
  });

  it('giveUpOnHandoffs changes no other group', async () => {
    const other = await buildQueued(test.db, test.workspaceId);
    const { groupId } = await buildQueuedGroup(test.db, test.workspaceId, [{}]);
    await giveUpNow(test.db, groupId);
    assert.equal(await statusOf(test.db, other.id), 'queued/accepted');
  });
});
