import assert from 'node:assert/strict';
import { connect, type Database } from '../../../../models/db/database.js';
import {
  closeDoneGroups,
  fenceGroups,
  scheduleChecks,
  queuedPages,
  takeDueGroups,
} from '../../../../models/operations/watch/due-groups.js';
import { buildAcceptedBatch } from '../../../support/rows/batches.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildQueued, buildUndecided, buildWorkspace } from '../../../support/rows/factories.js';
import { buildQueuedGroup, buildSent, claimAll, messageOf, sandboxEverywhere } from '../../../support/rows/messages.js';
import { makeOpenRowsDue } from '../../../support/temporal/watcher.js';
import { assertAbout } from '../../../support/measure/times.js';

const all = 1_000;
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000);

describe('the watcher’s queue of groups', () => {
  const test = useDatabase({ forEachTest: true, checksBooks: true });
  let workspaceId: string;
  beforeEach(async () => {
    workspaceId = (await buildWorkspace(test.db)).id;
  });

  const take = (limit = all) => takeDueGroups(test.db, limit);
  const ids = async (limit = all) => (await take(limit)).map(({ groupId }) => groupId);
  const dueAt = (groupId: string, seconds: number) =>
    rows(test.db, `UPDATE message_groups SET look_at = now() + $2 * interval '1 second' WHERE id = $1`, [groupId, seconds]);

  it('the watcher’s queue of groups returns old open groups, the longest wait first', async () => {
    const groups = [];
    for (const _ of [1, 2, 3, 4]) groups.push((await buildQueued(test.db, workspaceId)).group_id);
    const [late, early, young, closed] = groups as [string, string, string, string];
    assert.deepEqual(await ids(), [], 'all are young');
    await dueAt(late, -5);
    await dueAt(early, -50);
    await dueAt(closed, -50);
    await dueAt(young, 5);
    await rows(test.db, 'UPDATE message_groups SET closed_at = now() WHERE id = $1', [closed]);
    assert.deepEqual(await ids(1), [early]);
    assert.deepEqual(await ids(), [late]);
    assert.deepEqual(await ids(), []);
    await scheduleChecks(test.db, [{ groupId: early, checkInMs: -1 }]);
    assert.deepEqual(await ids(), [early]);
  });

  it('the watcher’s queue of groups gives each group to one of two callers at once', async () => {
    for (let count = 0; count < 20; count += 1) await buildQueued(test.db, workspaceId);
    await makeOpenRowsDue(test.db);
    const taken = (await Promise.all([ids(15), ids(15)])).flat();
    assert.equal(taken.length, new Set(taken).size);
    assert.equal(new Set([...taken, ...(await ids())]).size, 20);
  });

  /** All groups are due. @returns what each needs */
  const needs = async () => {
    await makeOpenRowsDue(test.db);
    const found = new Map((await take()).map((group) => [group.groupId, group]));
    return (id: string) => found.get(id) ?? assert.fail('it is not found');
  };

  it('the watcher’s queue of groups returns all fields of a group that awaits a report', async () => {
    const { group_id: groupId } = await buildSent(test.db, workspaceId, { channel: 'email' });
    const { awaitedMs, ...awaiting } = (await needs())(groupId);
    assert.ok(awaitedMs >= 0 && awaitedMs < 10_000, String(awaitedMs));
    assert.deepEqual(awaiting, {
      groupId,
      workflowId: `msg:${groupId}`,
      batchId: null,
      channel: 'email',
      workspaceId,
      messageIds: [],
      fallbackAfterMs: null,
      accepting: 0,
      due: 0,
      dueInMs: null,
      awaiting: 1,
      batchStatus: null,
      pausedExpiryInMs: null,
      triedLately: false,
      isGatherable: false,
    });
  });

  it('the watcher’s queue of groups counts the wait for reports from the first hand-off', async () => {
    const [first, last] = [await buildSent(test.db, workspaceId), await buildSent(test.db, workspaceId)];
    await rows(test.db, 'UPDATE messages SET group_id = $1 WHERE id = $2', [first.group_id, last.id]);
    await rows(test.db, `UPDATE messages SET sent_at = now() - interval '100 seconds' WHERE id = $1`, [first.id]);
    const { awaiting, awaitedMs } = (await needs())(first.group_id);
    assert.ok(awaiting === 2 && awaitedMs >= 100_000 && awaitedMs < 110_000, String(awaitedMs));
  });

  it('the watcher’s queue of groups returns what each group needs', async () => {
    const single = await buildQueued(test.db, workspaceId);
    const scheduled = await buildQueued(test.db, workspaceId, { scheduled_at: inSeconds(600) });
    const undecided = await buildUndecided(test.db, workspaceId);
    const tried = await buildQueued(test.db, workspaceId);
    await claimAll(test.db, tried.group_id, sandboxEverywhere);
    const batch = await buildAcceptedBatch(test.db, workspaceId, [2]);
    const stranger = (await buildWorkspace(test.db)).id;
    const shared = await buildQueuedGroup(test.db, workspaceId, [{}, { workspace_id: stranger }]);
    const of = await needs();
    const { dueInMs } = of(scheduled.group_id);
    assertAbout(dueInMs, 600_000, 10_000);
    assert.deepEqual([of(single.group_id).due, of(undecided.group_id).accepting, of(tried.group_id).triedLately], [1, 1, true]);
    const page = of(batch.pages[0]?.groupId ?? '');
    assert.deepEqual(
      [page.batchId, page.batchStatus, page.due, page.messageIds, page.workspaceId],
      [batch.id, 'sending', 2, [], workspaceId],
    );
    assert.deepEqual([of(shared.groupId).workspaceId, of(shared.groupId).messageIds], [null, shared.ids]);
  });

  it('the watcher’s queue of groups closes only groups without open messages', async () => {
    const sent = await buildSent(test.db, workspaceId);
    const failed = await buildSent(test.db, workspaceId);
    await rows(test.db, `UPDATE messages SET status = 'failed', failed_at = now() WHERE id = $1`, [failed.id]);
    await closeDoneGroups(test.db, [sent.group_id, failed.group_id]);
    assert.deepEqual(await rows(test.db, 'SELECT id FROM message_groups WHERE closed_at IS NOT NULL'), [{ id: failed.group_id }]);
  });

  it('the watcher’s queue of groups fences only undecided messages', async () => {
    const [undecided, queued] = [await buildUndecided(test.db, workspaceId), await buildQueued(test.db, workspaceId)];
    assert.equal(await fenceGroups(test.db, [undecided.group_id, queued.group_id]), 1);
    assert.deepEqual(await rows(test.db, 'SELECT id FROM messages'), [{ id: queued.id }]);
    assert.equal((await messageOf(test.db, queued.id)).status, 'queued');
  });

  it('the watcher’s queue of groups returns the pages of a batch with queued messages', async () => {
    const { id, pages } = await buildAcceptedBatch(test.db, workspaceId, [1, 2, 1]);
    const [first, second, third] = pages.map(({ groupId }) => groupId) as [string, string, string];
    await rows(test.db, `UPDATE messages SET status = 'sent', sent_at = now(), status_detail = 'awaiting_report' WHERE group_id = $1`, [
      first,
    ]);
    await rows(test.db, 'UPDATE message_groups SET closed_at = now() WHERE id = $1', [third]);
    const found = await queuedPages(test.db, id);
    assert.deepEqual(
      found.map(({ groupId, workflowId, batchId }) => [groupId, workflowId, batchId]),
      [[second, `page:${second}`, id]],
    );
  });

  it('the watcher’s queue of groups reads due groups among many waiting ones', async () => {
    const db = connect(test.url, 1); // a connection knows only what it read itself
    const due = await buildQueued(test.db, workspaceId);
    await dueAt(due.group_id, -5);
    await rows(
      db,
      `WITH g AS (INSERT INTO message_groups (id, workflow_id, look_at) SELECT gen_random_uuid(), 'msg:', now() + i * interval '1 second' FROM generate_series(60, 20060) i RETURNING id)
       INSERT INTO messages (id, workspace_id, group_id, channel, "to", content, status, status_detail, cost, scheduled_at)
       SELECT id, $1, id, 'sms', '+15551234567', '{}', 'accepting', 'scheduled', 0, now() + interval '1 day' FROM g`,
      [workspaceId],
    );
    await rows(db, 'ANALYZE message_groups, messages'); // else the plan depends on when the database last did it
    const before = await rowsRead(db);
    const found = (await takeDueGroups(db, all)).map(({ groupId }) => groupId);
    const read = (await rowsRead(db)) - before;
    await db.close();
    assert.deepEqual(found, [due.group_id]);
    assert.ok(read > 0 && read < 20, `${read} rows were read`);
  });

  const rowsRead = async (db: Database) => {
    await rows(db, 'SELECT pg_stat_force_next_flush()');
    const sql = `SELECT sum(idx_tup_fetch + seq_tup_read)::bigint AS count FROM pg_stat_user_tables WHERE relname IN ('message_groups', 'messages')`;
    const [read] = await rows<{ count: number }>(db, sql);
    return read?.count ?? 0;
  };
});
