import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { select } from '../../../../models/db/database.js';
import { eraseMessages } from '../../../../models/operations/erasure/erase-messages.js';
import { eraseOrQueue } from '../../../../models/operations/erasure/erasure-queue.js';
import { eraseRecipient } from '../../../../models/operations/erasure/erase-recipient.js';
import { forgetWebhookData } from '../../../../models/operations/webhooks/forget-webhook-data.js';
import { makeDue } from '../../../../models/operations/watch/due-groups.js';
import { rows } from '../../../support/database.js';
import { webhookForEach } from '../../../support/for-each.js';
import { untilLockWait } from '../../../support/lock-table.js';
import { buildSent, reportOf } from '../../../support/rows/messages.js';
import { applyReports, recordReports } from '../../../support/rows/reports.js';

const to = '+15557000003';
/** Neither ascending nor descending: the first in their order is in the middle. */
const shuffled = <Each>([first, second, third]: readonly [Each, Each, Each]) => [third, first, second];

/**
 * A transaction holds the row that is the first in the order of the keys, and the work waits for it. Then all others must be free. Rows are
 * stored in another order, in which a statement without an order of its own would lock them.
 */
describe('the locks of a step of the watcher', () => {
  const test = webhookForEach();
  let ids: string[];
  /** SQL: a table and a condition. */
  let ofMessages: (table: string) => string;
  let attempts: string;

  beforeEach(async () => {
    ids = shuffled([uuidv7(), uuidv7(), uuidv7()]);
    ofMessages = (table) => `${table} WHERE message_id IN ('${ids.join("','")}')`;
    attempts = `delivery_attempts WHERE delivery_id IN (SELECT id FROM ${ofMessages('deliveries')})`;
    for (const id of ids) {
      const message = await buildSent(test.db, test.workspaceId, { id, group_id: id });
      await recordReports(test.db, [reportOf(message, 'delivered')]);
      await applyReports(test.db, message.group_id);
    }
    const given = 'unnest($1::uuid[]) WITH ORDINALITY AS m (id, place)';
    for (const sql of [
      // Nine deliveries. The smallest of their new ids is that of the fifth one.
      `UPDATE deliveries d SET status = 'succeeded', id = overlay(d.id::text placing lpad(((n.place * 5 + 2) % 9)::text, 8, '0') from 1)::uuid
       FROM (SELECT id, row_number() OVER (ORDER BY seq) AS place FROM deliveries WHERE message_id = ANY($1::uuid[])) n WHERE n.id = d.id`,
      `INSERT INTO delivery_attempts (delivery_id, number, at, trigger, duration_ms, response_body)
       SELECT id, 1, now(), 'scheduled', 1, 'x' FROM deliveries WHERE message_id = ANY($1::uuid[]) ORDER BY seq`,
      `INSERT INTO fallbacks (message_id, steps, due_at, outcome, decided_at)
       SELECT id, '[{"channel": "sms", "to": "${to}", "after": 60, "price": 1000}]', now(), 'not_needed', now() FROM ${given} ORDER BY place`,
      `INSERT INTO erasure_queue (erasure_id, message_id, look_at)
       SELECT '00000000-0000-0000-0000-000000000000', id, now() FROM ${given} ORDER BY place`,
    ]) {
      await rows(test.db, sql, [ids]);
    }
  });

  interface Locked {
    /** SQL: a table with the condition that selects its rows. */
    from: string;
    /** SQL */
    by: string;
    /** What must be free then, if not the rows themselves. */
    free?: string;
  }
  const assertInOrder = async (work: () => Promise<unknown>, { from, by, free = from }: Locked) => {
    const held = await test.db.transaction();
    let working: Promise<unknown> | undefined;
    try {
      await select(test.db, `SELECT 1 AS one FROM ${from} ORDER BY ${by} LIMIT 1 FOR UPDATE`, [], held);
      working = work();
      await untilLockWait(test.db, 'it waits for the first row');
      assert.ok((await select(test.db, `SELECT 1 AS one FROM ${free} FOR UPDATE NOWAIT`, [], held)).length >= 3);
    } finally {
      await held.rollback();
      await working;
    }
  };
  const key = Buffer.alloc(32, 1);
  const erase = () => eraseMessages(test.db, key, ids, null);
  const forget = (kind: 'bodies' | 'attempts') =>
    forgetWebhookData(test.db, { bodies: 0, attempts: 0, deliveries: 0, [kind]: 1 }, Date.now() + 20_000);

  it('an erasure locks attempts at deliveries in the order of their keys', () =>
    assertInOrder(erase, { from: attempts, by: 'delivery_id' }));
  it('an erasure locks events before the attempts to deliver them, as their deletion does', () =>
    assertInOrder(erase, { from: ofMessages('events'), by: 'id', free: attempts }));
  it('an erasure locks chains in the order of their keys', () => assertInOrder(erase, { from: ofMessages('fallbacks'), by: 'message_id' }));
  it('an erasure locks what waits in the queue in the order of its keys', () =>
    assertInOrder(erase, { from: ofMessages('erasure_queue'), by: 'message_id' }));
  it('the end of a wait locks what waits in the queue in the order of its keys', async () => {
    await rows(test.db, 'UPDATE messages SET erased_at = now() WHERE id = ANY($1::uuid[])', [ids]);
    const leave = () => eraseOrQueue(test.db, key, { cause: null, ids, againInSeconds: 1 });
    await assertInOrder(leave, { from: ofMessages('erasure_queue'), by: 'message_id' });
  });
  it('the removal of a recipient from ended chains locks them in the order of their keys', () =>
    assertInOrder(() => eraseRecipient(test.db, key, { workspaceId: test.workspaceId, recipient: to, at: new Date() }), {
      from: ofMessages('fallbacks'),
      by: 'message_id',
    }));
  it('a command that makes groups due locks them in the order of their keys', async () => {
    await rows(test.db, 'UPDATE message_groups SET closed_at = NULL WHERE id = ANY($1::uuid[])', [ids]);
    await assertInOrder(() => makeDue(test.db, ids), { from: `message_groups WHERE id IN ('${ids.join("','")}')`, by: 'id' });
  });
  for (const kind of ['bodies', 'attempts'] as const) {
    it(`the retention of ${kind} locks rows in the order of their keys`, async () => {
      await rows(test.db, 'TRUNCATE retention_sweeps, retention_waits');
      const table = ofMessages(kind === 'bodies' ? 'events' : 'deliveries');
      // Due in another order than that of their ids.
      await rows(
        test.db,
        `INSERT INTO retention_waits (kind, id, look_at)
         SELECT $1, id, now() + ((row_number() OVER (ORDER BY seq) * 2 + 1) % 9 - 9) * interval '1 second' FROM ${table}`,
        [kind],
      );
      const locked = kind === 'bodies' ? { from: ofMessages('events'), by: 'id' } : { from: attempts, by: 'delivery_id' };
      await assertInOrder(() => forget(kind), locked);
    });
  }
});
