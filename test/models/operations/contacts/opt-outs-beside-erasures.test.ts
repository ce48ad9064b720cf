import assert from 'node:assert/strict';
import { inTransaction, select } from '../../../../models/db/database.js';
import { recordOptOut } from '../../../../models/operations/contacts/record-opt-outs.js';
import { unsubscribe } from '../../../../models/operations/contacts/unsubscribe.js';
import { eraseMessages } from '../../../../models/operations/erasure/erase-messages.js';
import { digestOf, namesOnList } from '../../../../models/rules/contacts/erasure.js';
import { rows } from '../../../support/database.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { untilLockWait } from '../../../support/lock-table.js';
import { buildSent, reportOf } from '../../../support/rows/messages.js';
import { optOut } from '../../../support/rows/opt-requests.js';
import { applyReports, recordReports } from '../../../support/rows/reports.js';

const key = Buffer.alloc(32, 1);
const to = 'ada@example.com';

/** An entry with the address itself would outlast the erasure: it looks for entries before it is completed. */
describe('an opt-out during an erasure', () => {
  const test = workspaceForEach();
  const sender = { provider: 'sandbox', channel: 'email', recipient: to, key } as const;
  const stop = { ...sender, reason: 'opt_out', source: 'inbound', message_id: null, provider_message_id: null } as const;

  const delivered = async () => {
    const message = await buildSent(test.db, test.workspaceId, { channel: 'email', to });
    await recordReports(test.db, [reportOf(message, 'delivered')]);
    await applyReports(test.db, message.group_id);
    await rows(
      test.db,
      `INSERT INTO events (id, workspace_id, message_id, type, body) SELECT gen_random_uuid(), $1, $2, 'message.delivered', '{}'`,
      [test.workspaceId, message.id],
    );
    return message;
  };
  const listed = async () =>
    (await rows<{ recipient: string }>(test.db, 'SELECT recipient FROM suppressions WHERE workspace_id = $1', [test.workspaceId])).map(
      ({ recipient }) => recipient,
    );

  const ways: [name: string, record: (id: string) => Promise<unknown>][] = [
    ['a STOP', () => optOut(test.db, stop)],
    ['a complaint about a message', (id) => optOut(test.db, { ...stop, reason: 'complaint', message_id: id })],
    ['the link in a mail', (id) => unsubscribe(test.db, id)],
  ];
  for (const [name, record] of ways)
    it(`${name} is stored with the digest if it comes while its message is being erased`, async () => {
      const { id } = await delivered();
      const held = await test.db.transaction();
      await select(test.db, 'SELECT 1 FROM events WHERE message_id = $1 FOR UPDATE', [id], held);
      const erasing = eraseMessages(test.db, key, [id], null);
      await untilLockWait(test.db, 'the erasure has locked the message');
      const recording = record(id);
      await Promise.race([recording, untilLockWait(test.db, 'it waits for the erasure', 2)]);
      await held.rollback();
      await Promise.all([erasing, recording]);
      assert.deepEqual(await listed(), [digestOf(key, to)]);
    });

  it('a message is erased after the opt-out that is being stored for it', async () => {
    const { id } = await delivered();
    await inTransaction(test.db, async (transaction) => {
      await recordOptOut(test.db, transaction, { ...stop, names: namesOnList(key, 'email', to) });
      assert.deepEqual(await eraseMessages(test.db, key, [id], null), []);
    });
    assert.deepEqual(await eraseMessages(test.db, key, [id], null), [id]);
  });
});
