import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { acceptMessages } from '../../../../models/operations/messages/accept-messages.js';
import { fenceMessages } from '../../../../models/operations/messages/fence-messages.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildQueued, buildUndecided, buildWorkspace } from '../../../support/rows/factories.js';
import { balanceOf, buildGroup, ledgerOf, messageOf } from '../../../support/rows/messages.js';

describe('fenceMessages', () => {
  const test = useDatabase({ checksBooks: true });

  const groupExists = async (id: string) => (await rows(test.db, 'SELECT id FROM message_groups WHERE id = $1', [id])).length === 1;

  it('a fence deletes an undecided message with its group, and a late worker charges nothing', async () => {
    const workspace = await buildWorkspace(test.db, 5_000);
    const message = await buildUndecided(test.db, workspace.id);
    assert.deepEqual(await fenceMessages(test.db, [message.id]), [message.id]);
    assert.equal(await groupExists(message.group_id), false);
    assert.deepEqual((await acceptMessages(test.db, message.group_id)).accepted, []);
    assert.deepEqual(await ledgerOf(test.db, workspace.id), ['grant 5000']);
    assert.deepEqual(await fenceMessages(test.db, [message.id]), [], 'there is nothing left to fence');
  });

  it('an accepted message is kept by a fence', async () => {
    const workspace = await buildWorkspace(test.db, 5_000);
    const message = await buildQueued(test.db, workspace.id);
    assert.deepEqual(await fenceMessages(test.db, [message.id, uuidv7()]), []);
    assert.equal((await messageOf(test.db, message.id)).status, 'queued');
    assert.equal(await balanceOf(test.db, workspace.id), 4_000);
  });

  it('a fence removes one message from a group and keeps the others', async () => {
    const workspace = await buildWorkspace(test.db, 5_000);
    const { groupId, ids } = await buildGroup(test.db, workspace.id, [{}, {}]);
    assert.deepEqual(await fenceMessages(test.db, ids.slice(0, 1)), ids.slice(0, 1));
    assert.equal(await groupExists(groupId), true);
    assert.deepEqual((await acceptMessages(test.db, groupId)).accepted, ids.slice(1));
    assert.equal(await balanceOf(test.db, workspace.id), 4_000);
  });

  it('a fence frees the idempotency key', async () => {
    const workspace = await buildWorkspace(test.db);
    const first = await buildUndecided(test.db, workspace.id, { idempotency_key: 'again' });
    await fenceMessages(test.db, [first.id]);
    assert.equal((await buildUndecided(test.db, workspace.id, { idempotency_key: 'again' })).idempotency_key, 'again');
  });
});
