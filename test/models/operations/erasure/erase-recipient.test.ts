import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { inTransaction, select } from '../../../../models/db/database.js';
import { eraseRecipient } from '../../../../models/operations/erasure/erase-recipient.js';
import { insertMessages } from '../../../../models/operations/messages/insert-messages.js';
import type { FallbackStep } from '../../../../models/rules/messages/fallback.js';
import { rows } from '../../../support/database.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { untilLockWait } from '../../../support/lock-table.js';
import { entriesRead } from '../../../support/rows/entries-read.js';
import { newMessage } from '../../../support/rows/factories.js';

const key = Buffer.alloc(32, 1);

describe('an erasure among many reports without a message', () => {
  const test = workspaceForEach({ poolMax: 1 });
  const erase = (recipient: string) => eraseRecipient(test.db, key, { workspaceId: test.workspaceId, recipient, at: new Date() });

  it('an erasure empties all reports that name the recipient, and no others', async () => {
    await rows(
      test.db,
      `INSERT INTO delivery_reports (id, provider, provider_message_id, status, occurred_at, raw)
       SELECT uuidv7(), 'twilio', 'of ' || i, 'delivered', now(), CASE i % 10001
         WHEN 1 THEN 'To=%2B15551234567&From=' WHEN 2 THEN '{"to":"Ada.B@Example.org"}' WHEN 3 THEN 'to=ada%2Eb%40example%2Eorg' ELSE 'of ' || i END
       FROM generate_series(1, 10010) i`,
    );
    const named = async () =>
      (await rows<{ id: string }>(test.db, `SELECT provider_message_id AS id FROM delivery_reports WHERE raw = '' ORDER BY 1`)).map(
        ({ id }) => id,
      );
    await erase('+15551234567');
    assert.deepEqual(await named(), ['of 1', 'of 10002']);
    await erase('ada.b@example.org');
    assert.deepEqual(await named(), ['of 1', 'of 10002', 'of 10003', 'of 10004', 'of 2', 'of 3']);
  });

  it('an erasure reads each report a few times, however many there are', async () => {
    const store = (count: number, isMatched: boolean) =>
      rows(
        test.db,
        `INSERT INTO delivery_reports (id, provider, provider_message_id, status, group_id, occurred_at, applied_at, raw)
         SELECT uuidv7(), 'twilio', 'of ' || $2::boolean || i, 'delivered', CASE WHEN $2 THEN uuidv7() END, now(), CASE WHEN $2 THEN now() END, ''
         FROM generate_series(1, $1::integer) i`,
        [count, isMatched],
      );
    const unmatched = 40_000;
    await store(unmatched, false);
    await store(120_000, true);
    await rows(test.db, 'VACUUM ANALYZE delivery_reports');
    const read = await entriesRead(test.db, 'delivery_reports', () => erase('+15551234567'));
    assert.ok(read < 3 * unmatched, `${read} reports were read`);
  });
});

describe('two erasures of one recipient at the same time', () => {
  const test = workspaceForEach();
  const erase = (recipient: string) => eraseRecipient(test.db, key, { workspaceId: test.workspaceId, recipient, at: new Date() });
  const stepTo = (channel: FallbackStep['channel'], to: string): FallbackStep => {
    return { channel, to, after: 60, content: { subject: to }, price: 100, segments: null, encoding: null };
  };

  it('an erasure that waited for another one keeps the steps that the other one has left', async () => {
    const id = uuidv7();
    const fallback = [stepTo('sms', '+15551110000'), stepTo('whatsapp', '+15552220000')];
    const message = newMessage({ id, workspace_id: test.workspaceId, group_id: id, to: '+15553330000' });
    await insertMessages(test.db, { groupId: id, workflowId: id, messages: [message], fallback });
    let both: Promise<unknown> = Promise.resolve();
    await inTransaction(test.db, async (transaction) => {
      await select(test.db, 'SELECT 1 FROM messages WHERE id = $1 FOR UPDATE', [id], transaction);
      both = Promise.all([erase('+15552220000'), erase('+15552220000')]);
      await untilLockWait(test.db, 'both wait for the message', 2);
    });
    await both;
    const [chain] = await rows(test.db, 'SELECT outcome, steps FROM fallbacks WHERE message_id = $1', [id]);
    assert.deepEqual(chain, { outcome: null, steps: fallback.slice(0, 1) });
  });
});
