/** What a defect of the program could write, and the database refuses. */
import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { rows } from '../support/database.js';
import { useDatabase } from '../support/for-each.js';
import { buildAcceptedBatch } from '../support/rows/batches.js';
import { buildWebhook, buildWorkspace } from '../support/rows/factories.js';
import { buildSent } from '../support/rows/messages.js';

const paidOrder = (id: string) => `
  ('${id}', (SELECT id FROM workspaces LIMIT 1), 'Starter', 1000, 500, 'usd', 'paid', now(), 'cs_${id}', 'pi_1', now())`;
const anotherEntry = (kind: string, amount: number, number: string) => `
  INSERT INTO credit_entries (id, workspace_id, number, kind, amount, balance_after, reference, description)
  SELECT gen_random_uuid(), workspace_id, ${number}, '${kind}', ${amount}, 0, gen_random_uuid(), '' FROM credit_entries LIMIT 1`;
/** Of a message that was handed off. */
const ofMessage = (changes: string) => `UPDATE messages SET ${changes} WHERE batch_id IS NULL`;
const ofBatch = (changes: string) => `UPDATE batches SET ${changes}`;
const newReplay = (status: string, endedAt: string) => `
  INSERT INTO replays (id, webhook_id, status, since, until, statuses, ended_at)
  SELECT gen_random_uuid(), id, '${status}', now(), now(), '{}', ${endedAt} FROM webhooks`;

const [sign, times] = ['credit_entries_sign_check', 'messages_times_check'];
const forbidden: [what: string, sql: string, constraint: string][] = [
  [
    'two orders that one payment has paid',
    `INSERT INTO credit_orders (id, workspace_id, package_name, credits, amount_cents, currency, status, leased_until, session_id, payment_id, paid_at)
     VALUES ${paidOrder(uuidv7())}, ${paidOrder(uuidv7())}`,
    'credit_orders_payment_once',
  ],
  ['a debit that adds credits', anotherEntry('debit', 5, 'NULL'), sign],
  ...['refund', 'purchase', 'grant'].map((kind): (typeof forbidden)[number] => [
    `a ${kind} that takes credits`,
    anotherEntry(kind, -5, 'NULL'),
    sign,
  ]),
  ['two ledger entries with one number', anotherEntry('grant', 5, 'number'), 'credit_entries_number'],
  [
    'a pending delivery without the time of its next attempt',
    'UPDATE deliveries SET next_attempt_at = NULL',
    'deliveries_next_attempt_at_check',
  ],
  ['a message with a negative charge', ofMessage('credits_used = -1'), 'messages_credits_used_check'],
  ['a message that is charged more than its cost', ofMessage('credits_used = cost + 1'), 'messages_credits_used_check'],
  ['a queued message that was sent', ofMessage(`status = 'queued'`), times],
  ['a queued message that has failed', ofMessage(`status = 'queued', sent_at = NULL, failed_at = now()`), times],
  ['a sent message without its time', ofMessage('sent_at = NULL'), times],
  ['a delivered message without its time', ofMessage(`status = 'delivered'`), times],
  ['a read message without its time', ofMessage(`status = 'read'`), times],
  ['a failed message without its time', ofMessage(`status = 'failed'`), times],
  ['a completed batch without its time', ofBatch(`status = 'completed'`), 'batches_completed_at_check'],
  ['a batch that is sending and completed', ofBatch('completed_at = now()'), 'batches_completed_at_check'],
  ['a running replay that has ended', newReplay('running', 'now()'), 'replays_ended_at_check'],
  ['a completed replay without its time', newReplay('completed', 'NULL'), 'replays_ended_at_check'],
];

describe('forbidden rows', () => {
  const test = useDatabase();
  before(async () => {
    const { id } = await buildWorkspace(test.db);
    await buildAcceptedBatch(test.db, id, [1]);
    await buildWebhook(id, 'https://one.example.test/');
    await buildSent(test.db, id);
  });

  for (const [what, sql, constraint] of forbidden)
    it(`the database refuses ${what}`, async () => {
      await assert.rejects(rows(test.db, sql), (error: Error & { original?: { constraint?: string } }) => {
        assert.equal(error.original?.constraint, constraint, error.message);
        return true;
      });
    });

  it('the database accepts a message that was delivered after its hand-off was given up', async () => {
    const changed = await rows(test.db, `${ofMessage(`status = 'delivered', sent_at = NULL, delivered_at = now()`)} RETURNING id`);
    assert.equal(changed.length, 1);
  });

  it('all rows satisfy all constraints', async () => {
    assert.deepEqual(await rows(test.db, 'SELECT conname FROM pg_constraint WHERE NOT convalidated'), []);
  });
});
