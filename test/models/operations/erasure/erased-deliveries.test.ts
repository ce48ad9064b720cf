import assert from 'node:assert/strict';
import { eraseMessages } from '../../../../models/operations/erasure/erase-messages.js';
import { claimReplayed } from '../../../../models/operations/replays/claim-replayed.js';
import { until } from '../../../support/client.js';
import { rows } from '../../../support/database.js';
import { webhookForEach } from '../../../support/for-each.js';
import { lockWaits, untilLockWait } from '../../../support/lock-table.js';
import { attemptWith, buildDeliveryIn, type DeliveryRow, recordAttempts } from '../../../support/rows/deliveries.js';
import { buildReplay } from '../../../support/rows/factories.js';
import { buildClaimed } from '../../../support/rows/messages.js';
import { recordHandoffs } from '../../../support/rows/reports.js';

const key = Buffer.alloc(32);

describe('an erasure while deliveries of its messages are sent again', () => {
  const test = webhookForEach();

  /** A message that has failed, and its deliveries, which have ended with this status. */
  async function ended(status: 'failed' | 'succeeded'): Promise<{ id: string; deliveries: DeliveryRow[] }> {
    const { id, attempt } = await buildClaimed(test.db, test.workspaceId);
    const refusal = { provider: 'sandbox', outcome: 'rejected', error_code: '30008', error_message: 'Unknown destination' } as const;
    await recordHandoffs(test.db, [{ id, attempt, ...refusal }]);
    await rows(test.db, 'UPDATE deliveries SET status = $2, next_attempt_at = NULL WHERE message_id = $1', [id, status]);
    return { id, deliveries: await rows<DeliveryRow>(test.db, 'SELECT * FROM deliveries WHERE message_id = $1 ORDER BY id', [id]) };
  }

  const resent = (delivery: DeliveryRow) => ({ ...attemptWith(delivery, { status: 'succeeded' }), trigger: 'manual' as const });
  const answersOf = async ({ id }: DeliveryRow) =>
    (
      await rows<{ response_body: string | null; response_headers: object | null }>(
        test.db,
        'SELECT response_body, response_headers FROM delivery_attempts WHERE delivery_id = $1',
        [id],
      )
    ).map(({ response_body, response_headers }) => [response_body, response_headers]);

  /** Lets the work lock all but the last of its deliveries, then erases the message, then lets the work go on. @returns what was erased */
  async function erasedDuring(work: (last: DeliveryRow) => Promise<unknown>, messageId: string): Promise<string[]> {
    const last = await buildDeliveryIn(test.db, test.workspaceId, 'failed');
    const other = await test.db.transaction();
    await test.db.query('SELECT 1 FROM deliveries WHERE id = $1 FOR NO KEY UPDATE', { bind: [last.id], transaction: other });
    const working = work(last);
    await untilLockWait(test.db, 'the work waits for the last delivery');
    let isErased = false;
    const erasing = eraseMessages(test.db, key, [messageId], null).finally(() => {
      isErased = true;
    });
    await until(async () => isErased || (await lockWaits(test.db)) > 1, 'the erasure waits or is done');
    await other.rollback();
    const [erased] = await Promise.all([erasing, working]);
    return erased;
  }

  it('a resend stores the answer of the endpoint while its message is not erased', async () => {
    const { deliveries } = await ended('succeeded');
    const [first] = deliveries as [DeliveryRow];
    await recordAttempts(test.db, [resent(first)]);
    assert.deepEqual(await answersOf(first), [['body', {}]]);
  });

  it('a resend that ends after the erasure stores no answer', async () => {
    const { id, deliveries } = await ended('succeeded');
    const [first] = deliveries as [DeliveryRow];
    assert.deepEqual(await eraseMessages(test.db, key, [id], null), [id]);
    await recordAttempts(test.db, [resent(first)]);
    assert.deepEqual(await answersOf(first), [[null, null]]);
  });

  it('a resend that ends before the erasure commits stores no answer, and waits for nothing', async () => {
    const [first] = (await ended('succeeded')).deliveries as [DeliveryRow];
    const erasing = await test.db.transaction();
    await test.db.query('UPDATE events SET body = NULL WHERE message_id = $1', { bind: [first.message_id], transaction: erasing });
    await recordAttempts(test.db, [resent(first)]);
    await erasing.commit();
    assert.deepEqual(await answersOf(first), [[null, null]]);
  });

  it('the answer to a resend that is being stored does not outlast the erasure', async () => {
    const { id, deliveries } = await ended('succeeded');
    const [first] = deliveries as [DeliveryRow];
    await erasedDuring((last) => recordAttempts(test.db, [resent(first), resent(last)]), id);
    assert.deepEqual(await answersOf(first), [[null, null]]);
  });

  for (const restarts of [true, false]) {
    it(`a replay takes no delivery of an erased message: ${restarts ? 'failed' : 'succeeded'} ones`, async () => {
      const { id, deliveries } = await ended(restarts ? 'failed' : 'succeeded');
      const other = await ended(restarts ? 'failed' : 'succeeded');
      const { id: replayId } = await buildReplay(test.webhook.row.id);
      assert.deepEqual(await eraseMessages(test.db, key, [id], null), [id]);
      const ids = [...deliveries, ...other.deliveries].map((delivery) => delivery.id);
      assert.deepEqual(await claimReplayed(test.db, replayId, ids, restarts), ['taken', 'taken', 'claimed', 'claimed']);
    });
  }

  it('a message is not erased while a replay claims its deliveries', async () => {
    const { id, deliveries } = await ended('failed');
    const { id: replayId } = await buildReplay(test.webhook.row.id);
    const claim = (last: DeliveryRow) =>
      claimReplayed(
        test.db,
        replayId,
        [...deliveries, last].map((delivery) => delivery.id),
        true,
      );
    assert.deepEqual(await erasedDuring(claim, id), []);
    const bodies = await rows<{ body: string | null }>(test.db, 'SELECT body FROM events WHERE message_id = $1', [id]);
    assert.ok(bodies.every(({ body }) => body !== null));
  });
});
