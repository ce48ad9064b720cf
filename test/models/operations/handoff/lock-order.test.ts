import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { inTransaction, select } from '../../../../models/db/database.js';
import { acceptMessages } from '../../../../models/operations/messages/accept-messages.js';
import { eraseRecipient } from '../../../../models/operations/erasure/erase-recipient.js';
import { giveUpOnHandoffs } from '../../../../models/operations/handoff/give-up.js';
import { insertMessages } from '../../../../models/operations/messages/insert-messages.js';
import { callLeaseSeconds } from '../../../../models/operations/handoff/uncertain-handoffs.js';
import { takeBack } from '../../../../models/operations/billing/post-credits.js';
import { suppress } from '../../../../models/operations/contacts/suppress.js';
import { acceptBatch, buildBatch } from '../../../support/rows/batches.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { untilLockWait } from '../../../support/lock-table.js';
import { buildQueued, buildUndecided, buildWorkspace, newMessage } from '../../../support/rows/factories.js';
import {
  balanceOf,
  buildGroup,
  buildQueuedGroup,
  buildSent,
  claimAll,
  reportOf,
  sandboxEverywhere,
  statusOf,
} from '../../../support/rows/messages.js';
import { applyReports, giveUpOnReports, recordHandoffs, recordReports } from '../../../support/rows/reports.js';

describe('locks', () => {
  const test = useDatabase({ poolMax: 20, checksBooks: true });
  let one: string;
  let other: string;
  beforeEach(async () => {
    const ids = [(await buildWorkspace(test.db, 1_000_000)).id, (await buildWorkspace(test.db, 1_000_000)).id];
    [one = '', other = ''] = ids.toSorted();
  });

  /** How many messages of the workspace have each status. */
  const countsOf = async (workspaceId: string) => {
    const sql = 'SELECT status, count(*) FROM messages WHERE workspace_id = $1 GROUP BY status ORDER BY status';
    const found = await rows<{ status: string; count: number }>(test.db, sql, [workspaceId]);
    return Object.fromEntries(found.map(({ status, count }) => [status, count]));
  };

  it('refunds and debits lock workspaces in one order, without a deadlock in 120 rounds', async () => {
    const [rounds, atOnce] = [120, 4];
    const round = async () => {
      // In the refused group the messages of the workspaces come in the opposite order.
      const [first = '', second = ''] = [uuidv7(), uuidv7()].toSorted();
      const refused = await buildGroup(test.db, other, [
        { id: first, workspace_id: other },
        { id: second, workspace_id: one },
      ]);
      await acceptMessages(test.db, refused.groupId);
      const claims = await claimAll(test.db, refused.groupId, sandboxEverywhere);
      const fresh = await buildGroup(test.db, one, [{ workspace_id: one }, { workspace_id: other }]);
      const rejected = { provider: 'sandbox', outcome: 'rejected', error_code: '30008', error_message: 'Unknown destination' } as const;
      await Promise.all([
        recordHandoffs(
          test.db,
          claims.map(({ id, attempt }) => ({ id, attempt, ...rejected })),
        ),
        acceptMessages(test.db, fresh.groupId),
      ]);
    };
    for (let done = 0; done < rounds; done += atOnce) await Promise.all(Array.from({ length: atOnce }, round));
    const ofEach = { failed: rounds, queued: rounds };
    assert.deepEqual([await countsOf(one), await countsOf(other)], [ofEach, ofEach]);
  });

  it('reports and answers lock messages in one order', async () => {
    const [rounds, ofGroup] = [10, 100];
    for (let round = 0; round < rounds; round += 1) {
      const { groupId } = await buildQueuedGroup(test.db, one, ofGroup);
      const claims = await claimAll(test.db, groupId, sandboxEverywhere);
      const reports = claims.map(({ id }) => reportOf({ id, provider_message_id: uuidv7() }, 'delivered'));
      await recordReports(test.db, reports.toReversed());
      const unknown = claims.map(({ id, attempt, account }) => ({
        id,
        attempt,
        provider: account,
        outcome: 'unknown' as const,
        detail: 'why',
      }));
      await Promise.all([applyReports(test.db, groupId), recordHandoffs(test.db, unknown)]);
    }
    assert.deepEqual(await countsOf(one), { delivered: rounds * ofGroup });
  });

  it('groups with equal idempotency keys in opposite order store each key once', async () => {
    const keys = Array.from({ length: 100 }, () => uuidv7());
    for (let round = 0; round < 5; round += 1) {
      const ofRound = keys.map((key) => `${round} ${key}`);
      const insert = (idempotencyKeys: string[]) => {
        const groupId = uuidv7();
        const messages = idempotencyKeys.map((idempotency_key) =>
          newMessage({ id: uuidv7(), workspace_id: one, group_id: groupId, idempotency_key }),
        );
        return insertMessages(test.db, { groupId, workflowId: `grp:${groupId}`, messages });
      };
      const orders = [ofRound, ofRound.toReversed(), ofRound, ofRound.toReversed()];
      const stored = await Promise.all(orders.map(insert));
      assert.deepEqual(new Set(stored.flat().map(({ idempotency_key }) => idempotency_key)), new Set(ofRound));
      assert.equal(stored.flat().length, ofRound.length);
    }
  });

  it('a slow insert of messages blocks no reversal of credits', async () => {
    const groupId = uuidv7();
    const insert = await test.db.transaction();
    try {
      const messages = [newMessage({ id: groupId, workspace_id: one, group_id: groupId })];
      await insertMessages(test.db, { groupId, workflowId: `msg:${groupId}`, messages }, insert);
      await inTransaction(test.db, async (transaction) => {
        await select(test.db, `SET LOCAL lock_timeout = '500ms'`, [], transaction);
        await takeBack(test.db, transaction, one, { reference: uuidv7(), amount: 1_000, description: 'Payment taken back' });
      });
      assert.equal(await balanceOf(test.db, one), 999_000);
    } finally {
      await insert.rollback();
    }
  });

  it('a batch that is being queued blocks no single message of its workspace', async () => {
    const batch = await buildBatch(test.db, one, [3]);
    const single = await buildUndecided(test.db, one);
    const holder = await test.db.transaction();
    await select(test.db, 'SELECT 1 FROM messages WHERE batch_id = $1 FOR UPDATE', [batch.id], holder);
    const accepting = acceptBatch(test.db, batch.id);
    try {
      await untilLockWait(test.db, 'the batch waits for its messages');
      assert.deepEqual((await acceptMessages(test.db, single.group_id)).accepted, [single.id]);
    } finally {
      await holder.rollback();
    }
    assert.equal((await accepting).accepted, true);
    assert.equal(await balanceOf(test.db, one), 1_000_000 - 4_000);
  });

  it('giveUpOnReports waits for a report in progress and leaves the message to it', async () => {
    const { id, group_id } = await buildSent(test.db, one);
    const report = await test.db.transaction();
    await select(test.db, 'UPDATE message_groups SET reports_pending = true WHERE id = $1', [group_id], report);
    const givingUp = giveUpOnReports(test.db, group_id);
    await untilLockWait(test.db, 'it waits');
    await report.commit();
    assert.deepEqual(await givingUp, { open: 1 });
    assert.equal(await statusOf(test.db, id), 'sent/awaiting_report');
  });

  it('giveUpOnHandoffs waits for a claim in progress and leaves the message to it', async () => {
    const { id, group_id } = await buildQueued(test.db, one);
    const claim = await test.db.transaction();
    await select(test.db, `UPDATE messages SET status_detail = 'sending' WHERE id = $1`, [id], claim);
    await select(test.db, `INSERT INTO send_attempts (message_id, number, provider) VALUES ($1, 1, 'twilio')`, [id], claim);
    const balance = await balanceOf(test.db, one);
    const givingUp = giveUpOnHandoffs(test.db, group_id, { leaseSeconds: callLeaseSeconds, unknownSeconds: 120, repeatable: [] });
    await untilLockWait(test.db, 'it waits');
    await claim.commit();
    await givingUp;
    assert.equal(await statusOf(test.db, id), 'queued/sending');
    assert.equal(await balanceOf(test.db, one), balance);
  });

  it('a suppressed message is not failed while another claim is written', async () => {
    const { id, group_id, to } = await buildQueued(test.db, one);
    await suppress(test.db, [{ workspace_id: one, channel: 'sms', recipient: to, reason: 'opt_out', source: 'inbound' }]);
    const claim = await test.db.transaction();
    await select(test.db, `UPDATE messages SET status_detail = 'sending' WHERE id = $1`, [id], claim);
    await select(test.db, `INSERT INTO send_attempts (message_id, number, provider) VALUES ($1, 1, 'twilio')`, [id], claim);
    const claiming = claimAll(test.db, group_id, sandboxEverywhere);
    await untilLockWait(test.db, 'it waits');
    await claim.commit();
    await claiming;
    assert.equal(await statusOf(test.db, id), 'queued/sending');
  });

  it('suppressing and erasing a recipient lock the entry of the workspace before the one of the recipient', async () => {
    const entry = { workspace_id: one, recipient: '+15551234567' };
    const ofRecipient = { ...entry, channel: 'sms', reason: 'opt_out', source: 'inbound' } as const;
    const ofWorkspace = { ...entry, channel: 'whatsapp', reason: 'manual', source: 'api' } as const;
    await suppress(test.db, [ofRecipient, ofWorkspace]);
    const lock = (table: string) => `SELECT 1 AS one FROM ONLY ${table} WHERE workspace_id = $1 FOR UPDATE NOWAIT`;
    const held = await test.db.transaction();
    await select(test.db, lock('suppressions'), [one], held);
    const suppressing = inTransaction(test.db, (transaction) => suppress(test.db, [ofRecipient, ofWorkspace], transaction));
    const erasing = eraseRecipient(test.db, Buffer.alloc(32, 1), { workspaceId: one, recipient: entry.recipient, at: new Date() });
    await untilLockWait(test.db, 'both wait', 2);
    const [locked] = await Promise.allSettled([select(test.db, lock('suppressions_by_recipients'), [one], held)]);
    await held.rollback();
    await Promise.all([suppressing, erasing]);
    assert.equal(locked.status, 'fulfilled', 'the entry of the recipient is not locked yet');
  });
});
