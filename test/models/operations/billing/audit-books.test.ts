import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { auditBooks, auditNow } from '../../../../models/operations/billing/audit-books.js';
import type { Difference } from '../../../../models/rules/billing/difference-text.js';
import { cancelBatch } from '../../../../models/operations/batches/change-batch.js';
import { buildAcceptedBatch, buildBatch } from '../../../support/rows/batches.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildQueued, buildUndecided, buildWorkspace } from '../../../support/rows/factories.js';
import { assertBooks } from '../../../../harness/checks/invariants.js';
import { buildSent, giveUpNow } from '../../../support/rows/messages.js';
import { runAdmin } from '../../../support/run-admin.js';

describe('the audit of the books', () => {
  const test = useDatabase({ forEachTest: true });
  let workspaceId: string;
  let ids: { sent: string; failed: string; batch: string };
  beforeEach(async () => {
    workspaceId = (await buildWorkspace(test.db)).id;
    await buildWorkspace(test.db, 0);
    await buildUndecided(test.db, workspaceId);
    const failed = await buildQueued(test.db, workspaceId);
    await giveUpNow(test.db, failed.group_id);
    const batch = await buildAcceptedBatch(test.db, workspaceId, [3, 2]);
    await buildBatch(test.db, workspaceId, [2]);
    await cancelBatch(test.db, workspaceId, (await buildAcceptedBatch(test.db, workspaceId, [2, 2])).id);
    ids = { sent: (await buildSent(test.db, workspaceId)).id, failed: failed.id, batch: batch.id };
    await assertBooks(test.db);
  });

  const audit = async () => {
    const found: Difference[] = [];
    assert.equal(await auditNow(test.db, (difference) => found.push(difference)), found.length);
    return found.map(({ what, id }) => `${what} ${id}`);
  };
  /** What the trigger forbids, and a superuser can do. */
  const tamper = async (sql: string) => {
    await rows(test.db, 'ALTER TABLE credit_entries DISABLE TRIGGER USER');
    await rows(test.db, sql);
    await rows(test.db, 'ALTER TABLE credit_entries ENABLE TRIGGER USER');
  };
  /** An entry that is right by itself: balance, number and count go with it. */
  const post = async (kind: string, amount: number, reference: string) => {
    const id = uuidv7();
    await rows(
      test.db,
      `WITH moved AS (UPDATE workspaces SET balance = balance + $4, entry_count = entry_count + 1 WHERE id = $2 RETURNING balance, entry_count)
       INSERT INTO credit_entries (id, workspace_id, number, kind, amount, balance_after, reference, description)
       SELECT $1, $2, entry_count, $3, $4, balance, $5, '' FROM moved`,
      [id, workspaceId, kind, amount, reference],
    );
    return id;
  };

  it('the audit of the books finds nothing in correct books', async () => {
    assert.deepEqual(await audit(), []);
  });

  type Planted = [what: string, plant: () => Promise<unknown>, found: () => string[]];
  const planted: Planted[] = [
    [
      'a balance that was changed by hand',
      () => rows(test.db, `UPDATE workspaces SET balance = balance + 1 WHERE id = $1`, [workspaceId]),
      () => [`balance ${workspaceId}`],
    ],
    [
      'an opening balance without entries',
      () => rows(test.db, `UPDATE workspaces SET opening_balance = 5, balance = balance + 5 WHERE id = $1`, [workspaceId]),
      () => [`opening balance ${workspaceId}`, `ledger entry ${workspaceId}`],
    ],
    [
      'an entry with another amount',
      () => tamper(`UPDATE credit_entries SET amount = amount - 500 WHERE number = 2`),
      () => [`ledger entry ${workspaceId}`, `balance ${workspaceId}`, `charge of a message ${ids.failed}`],
    ],
    [
      'an entry with another balance',
      () => tamper(`UPDATE credit_entries SET balance_after = balance_after + 1 WHERE number = 3`),
      () => [`ledger entry ${workspaceId}`],
    ],
    [
      'an entry that is gone, a refund',
      () => tamper(`DELETE FROM credit_entries WHERE kind = 'refund' AND reference = '${ids.failed}'`),
      () => [`ledger entry ${workspaceId}`, `balance ${workspaceId}`, `charge of a message ${ids.failed}`],
    ],
    [
      'a message that was never debited',
      () => tamper(`UPDATE credit_entries SET kind = 'adjustment' WHERE kind = 'debit' AND reference = '${ids.sent}'`),
      () => [`charge of a message ${ids.sent}`],
    ],
    ['a refund of a message that did not fail', () => post('refund', 1_000, ids.sent), () => [`charge of a message ${ids.sent}`]],
    [
      'a refund that is smaller by what no step took over',
      () => tamper(`UPDATE credit_entries SET amount = amount - 100 WHERE kind = 'refund' AND reference = '${ids.failed}'`),
      () => [`ledger entry ${workspaceId}`, `balance ${workspaceId}`, `charge of a message ${ids.failed}`],
    ],
    [
      'a transfer of a charge that changed no charge',
      () => rows(test.db, `INSERT INTO charge_transfers (from_id, to_id, amount) VALUES ($1, $2, 100)`, [ids.failed, ids.sent]),
      () => [ids.failed, ids.sent].toSorted().map((id) => `charge of a message ${id}`),
    ],
    [
      'a failed message that was neither handed off nor refunded',
      () => rows(test.db, `UPDATE messages SET status = 'failed', sent_at = NULL, failed_at = now() WHERE id = $1`, [ids.sent]),
      () => [`charge of a message ${ids.sent}`],
    ],
    [
      'a batch whose messages cost more than its debit',
      () =>
        rows(
          test.db,
          `UPDATE messages SET cost = 2000, credits_used = 2000 WHERE id = (SELECT min(id::text)::uuid FROM messages WHERE batch_id = $1)`,
          [ids.batch],
        ),
      () => [`charge of a batch ${ids.batch}`],
    ],
    [
      'a batch that was debited and is not decided',
      () => rows(test.db, `UPDATE batches SET status = 'accepting' WHERE id = $1`, [ids.batch]),
      () => [`charge of a batch ${ids.batch}`],
    ],
    [
      'a message too many in the count',
      () => rows(test.db, `UPDATE workspaces SET message_count = message_count + 1 WHERE id = $1`, [workspaceId]),
      () => [`message count ${workspaceId}`],
    ],
  ];
  for (const [what, plant, found] of planted)
    it(`the audit of the books finds ${what}`, async () => {
      await plant();
      assert.deepEqual(await audit(), found());
    });

  for (const [kind, amount, reference] of [
    ['debit', -1_000, uuidv7()],
    ['debit', -1_000, 'by hand'],
    ['refund', 1_000, uuidv7()],
    ['refund', 1_000, `cancel:${uuidv7()}`],
  ] as const)
    it(`the audit of the books finds a ${kind} of ${reference.length === 36 ? 'no message' : `"${reference.slice(0, 7)}…"`}`, async () => {
      const id = await post(kind, amount, reference);
      assert.deepEqual(await audit(), [`ledger entry without its cause ${id}`]);
    });

  it('the audit of the books finds nothing wrong while messages are sent', async () => {
    let isOver = false;
    const sending = (async () => {
      while (!isOver) await giveUpNow(test.db, (await buildQueued(test.db, workspaceId)).group_id);
    })();
    for (let count = 0; count < 5; count += 1) assert.deepEqual(await audit(), []);
    isOver = true;
    await sending;
    await assertBooks(test.db);
  });

  it('the audit of the books continues in bounded parts, and finishes once a day', async () => {
    const found: Difference[] = [];
    const goOn = (untilMs: number) => auditBooks(test.db, untilMs, (difference) => found.push(difference));
    await rows(test.db, `UPDATE workspaces SET message_count = message_count + 1 WHERE id = $1`, [workspaceId]);
    let pieces = 0;
    // Each call has the time for one piece.
    while (await goOn(Date.now() + 1)) pieces += 1;
    assert.ok(pieces >= 5, `${pieces} pieces`);
    assert.deepEqual(
      found.map(({ what, id }) => [what, id]),
      [['message count', workspaceId]],
    );
    assert.equal(await goOn(Date.now() + 10_000), false);
    assert.equal(found.length, 1);
    await rows(test.db, `UPDATE audits SET day = day - 1`);
    await goOn(Date.now() + 10_000);
    assert.equal(found.length, 2, 'the next day it begins anew');
    assert.deepEqual(await rows(test.db, 'SELECT differences, ended_at IS NOT NULL AS ended FROM audits'), [
      { differences: 1, ended: true },
      { differences: 1, ended: true },
    ]);
  });

  it('an operator can run the audit of the books and acknowledge a balance', async () => {
    await rows(test.db, `UPDATE workspaces SET balance = balance + 1 WHERE id = $1`, [workspaceId]);
    const run = (...args: string[]) => runAdmin({ db: test.db }, 'audit', ...args);
    const audited = await run();
    assert.deepEqual([audited.code, audited.err], [1, '']);
    assert.match(audited.out, new RegExp(`^balance of workspace ${workspaceId}: .* credits: 0\\.001 credits too high\n1 difference.\n$`));
    const [shown] = JSON.parse((await run('--json')).out).differences;
    assert.equal(Math.round((shown.detail.balance - shown.detail.ledger) * 1000), 1, 'in credits');
    assert.match((await run('--acknowledge', workspaceId)).out, /accepted as correct. Its ledger got a correction of 0.001 credits.\n$/);
    const again = await run();
    assert.deepEqual([again.code, again.out], [0, '0 differences.\n']);
    assert.match((await run('--acknowledge', workspaceId)).out, /Its ledger has the same sum.\n$/);
    assert.equal((await run('--acknowledge', uuidv7())).code, 1);
  });
});
