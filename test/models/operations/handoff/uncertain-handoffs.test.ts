import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { queuedBeforePage, reserveSlots } from '../../../../models/operations/batches/batch-pace.js';
import { readTimeline } from '../../../../models/operations/messages/read-timeline.js';
import { nextHandoffInMs, releaseClaim } from '../../../../models/operations/handoff/uncertain-handoffs.js';
import { waitingFor } from '../../../../models/rules/messages/waiting.js';
import { buildAcceptedBatch } from '../../../support/rows/batches.js';
import { rows } from '../../../support/database.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { untilLockWait } from '../../../support/lock-table.js';
import { buildQueuedGroup, claimAll, messageOf, noWaits, sandboxEverywhere, statusOf } from '../../../support/rows/messages.js';
import { recordHandoffs } from '../../../support/rows/reports.js';
import { assertAbout } from '../../../support/measure/times.js';

describe('uncertain hand-offs', () => {
  const test = workspaceForEach({ balance: 10_000_000 });
  const claim = (groupId: string, claimId?: string) =>
    claimAll(test.db, groupId, sandboxEverywhere, claimId === undefined ? {} : { claimId });

  it('a claim with a lost answer is undone, and its messages were certainly not called', async () => {
    const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [{}, {}]);
    const claimId = uuidv7();
    assert.equal((await claim(groupId, claimId)).length, 2);
    for (const _ of [1, 2]) await releaseClaim(test.db, groupId, claimId);
    for (const id of ids) assert.equal(await statusOf(test.db, id), 'queued/accepted');
    const again = await claim(groupId);
    assert.deepEqual(
      again.map(({ attempt, uncertain }) => ({ attempt, uncertain })),
      [
        { attempt: 2, uncertain: false },
        { attempt: 2, uncertain: false },
      ],
    );
  });

  it('a claim that commits while its release waits is undone', async () => {
    const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [{}, {}]);
    const claimId = uuidv7();
    const waiting = (count: number) => untilLockWait(test.db, `${count} wait`, count);
    const held = await test.db.transaction();
    await test.db.query('SELECT 1 FROM messages WHERE group_id = $1 FOR UPDATE', { bind: [groupId], transaction: held });
    const claiming = claim(groupId, claimId);
    await waiting(1);
    const releasing = releaseClaim(test.db, groupId, claimId);
    await waiting(2);
    await held.rollback();
    assert.equal((await claiming).length, 2);
    await releasing;
    const attempts = await rows(test.db, 'SELECT outcome, detail FROM send_attempts WHERE claim_id = $1', [claimId]);
    assert.deepEqual(
      attempts,
      ids.map(() => ({ outcome: 'retryable', detail: 'not called' })),
    );
    for (const id of ids) assert.equal(await statusOf(test.db, id), 'queued/accepted');
  });

  it('undoing a claim keeps other claims and earlier uncertain calls', async () => {
    const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [{}]);
    const [id = ''] = ids;
    await claim(groupId);
    const claimId = uuidv7();
    await claim(groupId, claimId);
    await releaseClaim(test.db, groupId, uuidv7());
    await releaseClaim(test.db, groupId, claimId);
    const outcomes = await rows(test.db, 'SELECT outcome FROM send_attempts WHERE message_id = $1 ORDER BY number', [id]);
    assert.deepEqual(outcomes, [{ outcome: null }, { outcome: 'retryable' }]);
    assert.equal(await statusOf(test.db, id), 'queued/sending', 'it may not be cancelled');
  });

  it('a message with one unknown call cannot be cancelled after another call failed', async () => {
    const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [{}]);
    const [id = ''] = ids;
    await claim(groupId);
    await claim(groupId);
    await recordHandoffs(test.db, [{ id, attempt: 2, provider: 'sandbox', outcome: 'retryable', detail: '503' }]);
    assert.equal((await messageOf(test.db, id)).status_detail, 'sending');
  });

  it('a group is handed off at once while a message is due, and otherwise when a call is over', async () => {
    const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [{}]);
    const waits = { leaseSeconds: 15, unknownSeconds: 120, repeatable: [] };
    assert.equal(await nextHandoffInMs(test.db, groupId, waits), 0);
    await claim(groupId);
    const inMs = await nextHandoffInMs(test.db, groupId, waits);
    assert.ok(inMs > 15_000 && inMs <= 20_000, 'a process that is slow may still record the answer: it is looked at now and then');
    assert.equal(await nextHandoffInMs(test.db, groupId, noWaits), 0);
    await rows(test.db, `UPDATE send_attempts SET give_up_at = now() + interval '7 seconds' WHERE message_id = $1`, [ids[0]]);
    const givenUpIn = await nextHandoffInMs(test.db, groupId, { ...waits, leaseSeconds: 1 });
    assert.ok(givenUpIn > 4_000 && givenUpIn <= 7_000, `${givenUpIn}`);
  });

  it('a call to an account with a longer lease is in progress for longer', async () => {
    const { groupId } = await buildQueuedGroup(test.db, test.workspaceId, [{}]);
    const waits = { leaseSeconds: 3, unknownSeconds: 0, repeatable: [] };
    await claim(groupId);
    const inMs = (leasesByAccount: Record<string, number>) => nextHandoffInMs(test.db, groupId, { ...waits, leasesByAccount });
    const usual = await inMs({ another: 9 });
    assert.ok(usual > 0 && usual <= 3_000, `${usual}`);
    const longer = await inMs({ sandbox: 9 });
    assert.ok(longer > 6_000 && longer <= 9_000, `${longer}`);
  });

  for (const [title, sets, repeatable] of [
    ['by the usual time', '', []],
    ['by a time that a recovery sets', `, give_up_at = now() + number * interval '4 seconds'`, []],
    ['at once where every account can be asked again', '', ['sandbox']],
  ] as const) {
    it(`the timeline ends an uncertain wait as the hand-off does: ${title}`, async () => {
      const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [{}]);
      for (const _ of [1, 2]) await claim(groupId);
      await rows(test.db, `UPDATE send_attempts SET outcome = 'unknown', started_at = now() + (number - 3) * interval '1 second' ${sets}`);
      const askedAt = Date.now();
      const inMs = await nextHandoffInMs(test.db, groupId, { leaseSeconds: 0, unknownSeconds: 14, repeatable });
      const answeredInMs = Date.now() - askedAt;
      const timeline = await readTimeline(test.db, test.workspaceId, ids[0] ?? '');
      const limits = { handoffTimeoutSeconds: 600, reportTimeoutSeconds: 600, unknownHandoffSeconds: 14, repeatable };
      const { what, until = null } = waitingFor(timeline, limits, new Date()) ?? {};
      if (repeatable.length > 0) return assert.deepEqual([what, inMs], ['next_attempt', 0]);
      assert.equal(what, 'report');
      assertAbout(until, askedAt + inMs, answeredInMs + 100);
    });
  }

  it('a batch reserves time by its rate up to the horizon', async () => {
    const batch = await buildAcceptedBatch(test.db, test.workspaceId, [2, 3]);
    await rows(test.db, 'UPDATE batches SET rate = 1, next_slot_at = now() WHERE id = $1', [batch.id]);
    const reserve = () => reserveSlots(test.db, batch.id, { messages: 30, horizonMs: 45_000 });
    assert.equal((await reserve()).isReserved, true);
    const second = await reserve();
    assert.ok(second.isReserved && second.waitMs > 0 && second.waitMs <= 30_000, `${second.waitMs}`);
    const third = await reserve();
    assert.deepEqual([third.isReserved, third.waitMs > 30_000], [false, true], 'nothing is reserved');
    const [first, last] = batch.pages;
    assert.equal(await queuedBeforePage(test.db, batch.id, first?.groupId ?? ''), 0);
    assert.equal(await queuedBeforePage(test.db, batch.id, last?.groupId ?? ''), 2);
  });
});
