import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { select } from '../../../../models/db/database.js';
import { cancelMessage } from '../../../../models/operations/messages/cancel-message.js';
import { gatherMessages } from '../../../../models/operations/messages/gather-messages.js';
import { readTimeline } from '../../../../models/operations/messages/read-timeline.js';
import { workflowIds } from '../../../../workflows/contract.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { untilLockWait } from '../../../support/lock-table.js';
import { buildQueued, buildWorkspace } from '../../../support/rows/factories.js';
import { claimAll, messageOf, sandboxEverywhere } from '../../../support/rows/messages.js';

describe('gatherMessages', () => {
  const test = useDatabase({ forEachTest: true, checksBooks: true });
  let workspaceId: string;
  beforeEach(async () => {
    workspaceId = (await buildWorkspace(test.db, 1_000_000)).id;
  });

  const gather = (ids: string[]) => gatherMessages(test.db, ids, workflowIds.shared);
  const build = async (count: number) => {
    const ids: string[] = [];
    while (ids.length < count) ids.push((await buildQueued(test.db, workspaceId)).id);
    return ids;
  };

  it('messages are moved into one group, once', async () => {
    const ids = await build(3);
    const gathered = await gather(ids);
    assert.deepEqual(gathered?.ids, ids);
    assert.deepEqual(await rows(test.db, 'SELECT id, workflow_id FROM message_groups'), [
      { id: gathered.groupId, workflow_id: `grp:${gathered.groupId}` },
    ]);
    assert.equal(await gather(ids), undefined, 'nothing is left in their former groups');
    assert.equal((await rows(test.db, 'SELECT id FROM message_groups')).length, 1);
  });

  it('a message that was tried, sent or cancelled is not moved into another group', async () => {
    const [moved, tried, failed, cancelled] = (await build(4)) as [string, string, string, string];
    for (const id of [tried, failed]) await claimAll(test.db, id, sandboxEverywhere);
    await rows(test.db, `UPDATE messages SET status_detail = 'accepted' WHERE id = $1`, [failed]);
    await cancelMessage(test.db, workspaceId, cancelled);
    assert.deepEqual((await gather([moved, tried, failed, cancelled]))?.ids, [moved]);
    for (const id of [tried, failed, cancelled]) assert.equal((await messageOf(test.db, id)).group_id, id);
  });

  it('each message is in one group while several callers move and claim them', async () => {
    for (let round = 0; round < 15; round += 1) {
      const ids = await build(4);
      const claim = (groupId: string) => claimAll(test.db, groupId, sandboxEverywhere);
      const [one, other, ...claims] = await Promise.all([gather(ids), gather(ids.toReversed()), ...ids.map(claim)]);
      const groups = [one, other].flatMap((gathered) => gathered?.groupId ?? []);
      const later = await Promise.all([...groups, ...ids].map(claim));
      const claimed = [...claims, ...later].flat().map(({ id }) => id);
      assert.deepEqual(claimed.filter((id, index) => claimed.indexOf(id) === index).toSorted(), ids.toSorted(), 'none is lost');
      const attempts = await rows<{ count: number }>(test.db, 'SELECT count(*)::integer FROM send_attempts WHERE message_id = ANY($1)', [
        ids,
      ]);
      assert.ok((attempts[0]?.count ?? 0) >= ids.length);
      assert.equal(await first(ids), ids.length, 'in a group of its own or in the new one, not in both');
    }
  });

  it('a message that is tried while its move waits stays in its group', async () => {
    const [id = ''] = await build(1);
    const trying = await test.db.transaction();
    await select(test.db, 'SELECT 1 FROM messages WHERE id = $1 FOR UPDATE', [id], trying);
    const gathering = gather([id]);
    await untilLockWait(test.db, 'the move waits for the message');
    const attempt = `INSERT INTO send_attempts (message_id, number, provider, outcome) VALUES ($1, 1, 'twilio', 'retryable')`;
    await select(test.db, attempt, [id], trying);
    await trying.commit();
    assert.equal(await gathering, undefined);
    assert.equal((await messageOf(test.db, id)).group_id, id);
  });

  it('the timeline of a message is read while the message moves into another group', async () => {
    const [id = ''] = await build(1);
    const groupId = uuidv7();
    const moving = await test.db.transaction();
    const run = (sql: string, bind: string[] = []) => select(test.db, sql, bind, moving);
    await run('LOCK TABLE message_groups IN ACCESS EXCLUSIVE MODE');
    const reading = readTimeline(test.db, workspaceId, id);
    await untilLockWait(test.db, 'the group is read after the message');
    await run('INSERT INTO message_groups (id, workflow_id) VALUES ($1, $2)', [groupId, 'grp:moved']);
    await run('UPDATE messages SET group_id = $2 WHERE id = $1', [id, groupId]);
    await run('DELETE FROM message_groups WHERE id = $1', [id]);
    await moving.commit();
    assert.equal((await reading).workflowId, 'grp:moved');
  });

  /** Messages whose group exists. */
  const first = async (ids: string[]) => {
    const sql = 'SELECT m.id FROM messages m JOIN message_groups g ON g.id = m.group_id WHERE m.id = ANY($1::uuid[])';
    return (await rows(test.db, sql, [ids])).length;
  };
});
