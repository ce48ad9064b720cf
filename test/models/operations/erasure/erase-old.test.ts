import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { openPool } from '../../../../models/db/database.js';
import { eraseOld } from '../../../../models/operations/erasure/erase-old.js';
import { erasureKey, reencryptErasureKey } from '../../../../models/operations/erasure/erasure-key.js';
import { testConfig } from '../../../support/config.js';
import { rows } from '../../../support/database.js';
import { messageIdFor } from '../../../support/carriers/meta.js';
import { buildOldBatch } from '../../../support/rows/batches.js';
import { buildWebhook } from '../../../support/rows/factories.js';
import { findInDatabase } from '../../../support/rows/find-anywhere.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { buildSent, messageOf, reportOf } from '../../../support/rows/messages.js';
import { applyReports, recordReports } from '../../../support/rows/reports.js';
import { withClock } from '../../../support/shift-clock.js';

const dayMs = 86_400_000;
let made = 0;

describe('eraseOld', () => {
  const test = workspaceForEach();
  const { secretKeys } = testConfig();

  /** A message that was delivered so many days ago. */
  const old = async (days: number, { isOpen = false } = {}) => {
    made += 1;
    const to = `+1555${3_000_000 + made}`;
    const created_at = new Date(Date.now() - days * dayMs);
    const id = uuidv7({ msecs: created_at.getTime() });
    const message = await buildSent(test.db, test.workspaceId, { id, group_id: id, to, content: { text: to }, created_at });
    if (!isOpen) await deliver(message);
    return { ...message, to };
  };
  const deliver = async (message: { id: string; group_id: string; provider_message_id: string | null }) => {
    await recordReports(test.db, [reportOf(message, 'delivered', { raw: 'what the carrier said' })]);
    await applyReports(test.db, message.group_id);
  };
  const run = async (days: number, page = Date.now() + 20_000) => eraseOld(test.db, await erasureKey(test.db, secretKeys), days, page);
  const isErased = async ({ id, to }: { id: string; to: string }) =>
    (await messageOf(test.db, id)).erased_at !== null && (await findInDatabase(test.db, to)).length === 0;
  const own = (days: number | null) => rows(test.db, 'UPDATE workspaces SET message_days = $2 WHERE id = $1', [test.workspaceId, days]);

  /** A batch from three weeks ago, with a key and a fault. @returns its id */
  const oldBatch = async () => {
    const id = await buildOldBatch(test.db, test.workspaceId, new Date(Date.now() - 21 * dayMs));
    await rows(test.db, `UPDATE batches SET errors = '[{"index": 0}]', created_at = created_at - interval '21 days' WHERE id = $1`, [id]);
    return id;
  };
  const unerased = async () =>
    (await rows<{ id: string }>(test.db, `SELECT id FROM batches WHERE errors::text <> '[]' OR request_digest IS NOT NULL`)).map(
      ({ id }) => id,
    );

  const lookAgain = () => rows(test.db, 'WITH q AS (UPDATE erasure_queue SET look_at = now()) UPDATE erasure_batches SET look_at = now()');

  it('only messages that are older than the days of the installation are erased', async () => {
    const [older, younger] = [await old(11), await old(9)];
    assert.equal(await run(10), 1);
    assert.deepEqual([await isErased(older), await isErased(younger)], [true, false]);
    const [report] = await rows<{ raw: string }>(test.db, 'SELECT raw FROM delivery_reports WHERE message_id = $1', [older.id]);
    assert.equal(report?.raw, '');
    const { status, credits_used, segments, provider } = await messageOf(test.db, older.id);
    assert.deepEqual([status, credits_used, segments, provider], ['delivered', 1000, 1, 'sandbox']);
  });

  it('no younger message is erased by a worker whose clock is far ahead', async () => {
    const message = await old(9);
    await own(20);
    assert.equal(await withClock(30 * dayMs, () => run(10)), 0);
    assert.equal(await isErased(message), false);
  });

  it('no message is erased if the days are 0', async () => {
    await old(5_000);
    assert.equal(await run(0), 0);
  });

  it('messages are erased after the fewer days of workspace and installation', async () => {
    const message = await old(6);
    await own(7);
    assert.equal(await run(30), 0);
    await own(5);
    assert.equal(await run(30), 1);
    const other = await old(6);
    await own(100);
    await run(5);
    assert.deepEqual([await isErased(message), await isErased(other)], [true, true]);
  });

  it('old messages in progress are erased after their end', async () => {
    const [open, told] = [await old(20, { isOpen: true }), await old(20)];
    await own(10);
    const { row } = await buildWebhook(test.workspaceId, 'https://one.example.test/');
    await rows(
      test.db,
      `INSERT INTO events (id, workspace_id, message_id, type, body) SELECT gen_random_uuid(), $1, $2, 'message.delivered', '{}'`,
      [test.workspaceId, told.id],
    );
    await rows(
      test.db,
      `INSERT INTO deliveries (id, webhook_id, event_id, event, message_id, status, next_attempt_at)
       SELECT gen_random_uuid(), $1, id, type, message_id, 'pending', now() FROM events WHERE message_id = $2`,
      [row.id, told.id],
    );
    assert.equal(await run(0), 0);
    await deliver(open);
    await rows(test.db, `UPDATE deliveries SET status = 'succeeded' WHERE message_id IN ($1, $2)`, [open.id, told.id]);
    assert.equal(await run(0), 0, 'they are looked at again later');
    await lookAgain();
    assert.equal(await run(0), 2);
    assert.deepEqual(await rows(test.db, 'SELECT * FROM erasure_queue'), []);
  });

  it('messages and batches that were open are kept when their workspace keeps them longer by now', async () => {
    const message = await old(20, { isOpen: true });
    const batch = await oldBatch();
    await own(10);
    await run(0);
    await deliver(message);
    await rows(test.db, `UPDATE batches SET status = 'completed', completed_at = now()`);
    for (const more of [{ workspace: null }, { workspace: 0 }, { workspace: 90 }, { workspace: null, installation: 90 }]) {
      await own(more.workspace);
      await lookAgain();
      assert.equal(await run(more.installation ?? 0), 0);
      assert.deepEqual([await isErased(message), await unerased()], [false, [batch]]);
    }
    await lookAgain();
    assert.equal(await run(10), 1);
    assert.deepEqual([await isErased(message), await unerased()], [true, []]);
    await rows(test.db, 'DELETE FROM batches'); // nobody has paid for it
  });

  it('the erasure of old messages skips locked rows', async () => {
    const held = await old(20);
    await own(10);
    await test.db.transaction(async (transaction) => {
      await test.db.query(`SELECT 1 FROM messages WHERE id = '${held.id}' FOR UPDATE`, { transaction });
      assert.equal(await run(0), 0);
    });
    await lookAgain();
    assert.equal(await run(0), 1);
  });

  it('old batches that were open or locked when their time came are erased later', async () => {
    await own(10);
    const [open, locked] = [await oldBatch(), await oldBatch(), await oldBatch()];
    await rows(test.db, `UPDATE batches SET status = 'completed', completed_at = now() WHERE id <> $1`, [open]);
    await test.db.transaction(async (transaction) => {
      await test.db.query(`SELECT 1 FROM batches WHERE id = '${locked}' FOR UPDATE`, { transaction });
      await run(0);
    });
    assert.deepEqual((await unerased()).toSorted(), [open, locked].toSorted());
    await rows(test.db, `UPDATE batches SET status = 'completed', completed_at = now() WHERE id = $1`, [open]);
    await run(0);
    assert.equal((await unerased()).length, 2, 'they are looked at again later');
    await lookAgain();
    await run(0);
    assert.deepEqual([await unerased(), await rows(test.db, 'SELECT * FROM erasure_batches')], [[], []]);
    const [again] = await rows<{ keys: number }>(test.db, `SELECT count(*) FILTER (WHERE idempotency_key LIKE '#%') AS keys FROM batches`);
    assert.equal(again?.keys, 3);
    await rows(test.db, 'DELETE FROM batches'); // nobody has paid for them
  });

  it('names of recipients in ids of old reports are erased', async () => {
    const raw = '{"recipient_id":"15553334444"}';
    const stranger = { id: uuidv7(), provider_message_id: messageIdFor('+15553334444') };
    await recordReports(test.db, [{ ...reportOf(stranger, 'delivered'), message_id: null, raw }]);
    await rows(test.db, `UPDATE delivery_reports SET id = '01980000-0000-7000-8000-000000000001' WHERE raw = $1`, [raw]);
    await run(10);
    assert.deepEqual(await findInDatabase(test.db, '15553334444'), []);
  });

  it('the erasure of old messages continues page by page where it stopped', async () => {
    await own(10);
    const messages = [];
    for (let count = 0; count < 3; count += 1) messages.push(await old(20 + count));
    assert.equal(await run(0, Date.now() - 1), 0);
    assert.equal(await run(0), 3);
    for (const message of messages) assert.ok(await isErased(message));
    const late = await old(15);
    assert.deepEqual([await run(0), await isErased(late)], [1, true], 'what grew old since');
  });

  it('the key of the digests of erased recipients stays the same after a change of SECRET_KEY', async () => {
    const key = await erasureKey(test.db, secretKeys);
    const renewed = ['another-secret-key-another-secret-key', ...secretKeys] as const;
    await reencryptErasureKey(test.db, [...renewed]);
    const other = openPool(test.url, 1);
    try {
      assert.deepEqual(await erasureKey(other, [renewed[0]]), key);
      await reencryptErasureKey(other, [secretKeys[0], renewed[0]]);
    } finally {
      await other.close();
    }
  });
});
