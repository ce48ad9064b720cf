/** Messages of batches that expire before their hand-off. */
import assert from 'node:assert/strict';
import { pauseBatch, resumeBatch } from '../../../models/operations/batches/change-batch.js';
import { Batch } from '../../../models/tables/batch.js';
import { stubProvider } from '../../support/carriers/stub-provider.js';
import { rows } from '../../support/database.js';
import { buildAcceptedBatch } from '../../support/rows/batches.js';
import { ledgerOf, statusOf } from '../../support/rows/messages.js';
import { failureOf, inActivity } from '../../support/temporal/in-activity.js';
import { unavailable } from './two-accounts.js';
import { done, useMessageActivities } from './use-message-activities.js';

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000);

describe('a message of a batch that expires before its hand-off', () => {
  const { test, activitiesWith } = useMessageActivities();
  /** A charged batch of one page. */
  const page = async (size: number, expires_at: Date) => {
    const { id, pages } = await buildAcceptedBatch(test.db, test.workspaceId, [size], { expires_at });
    const [{ groupId, ids } = { groupId: '', ids: [] }] = pages;
    const provider = stubProvider();
    const dispatch = () => inActivity(activitiesWith(provider).dispatchMessages, [groupId, id]);
    return { batchId: id, groupId, ids, provider, dispatch };
  };
  const expire = (id = '') => rows(test.db, 'UPDATE messages SET expires_at = now() WHERE id = $1', [id]);
  const statuses = (ids: readonly string[]) => Promise.all(ids.map((id) => statusOf(test.db, id)));
  const batchStatus = async (id: string) => (await Batch.owned(test.workspaceId, id)).status;
  const pause = (id: string) => pauseBatch(test.db, test.workspaceId, id);
  const refunds = async () => (await ledgerOf(test.db, test.workspaceId)).filter((entry) => entry.startsWith('refund'));

  it('messages that expire before their page opens are refunded, and their batch is completed', async () => {
    const { batchId, ids, provider, dispatch } = await page(2, new Date());
    assert.deepEqual(await dispatch(), { ...done, more: false });
    assert.deepEqual(await statuses(ids), ['failed/expired', 'failed/expired']);
    assert.deepEqual([provider.calls, await refunds(), await batchStatus(batchId)], [[], ['refund 1000', 'refund 1000'], 'completed']);
  });

  it('a message of a paused batch fails when it expires, and its page is told when the next one does', async () => {
    const { batchId, ids, provider, dispatch } = await page(2, inSeconds(50));
    await pause(batchId);
    await expire(ids[0]);
    const { paused, queued, retryInMs = 0 } = await dispatch();
    assert.deepEqual([paused, queued, await refunds()], [true, 1, ['refund 1000']]);
    assert.ok(retryInMs > 0 && retryInMs <= 50_000, String(retryInMs));
    await resumeBatch(test.db, test.workspaceId, batchId);
    assert.equal((await dispatch()).queued, 0);
    assert.deepEqual([provider.calls, await statuses(ids)], [[ids[1]], ['failed/expired', 'sent/awaiting_report']]);
  });

  it('a paused batch is completed when its last message expires', async () => {
    const { batchId, dispatch } = await page(1, new Date());
    await pause(batchId);
    assert.deepEqual(await dispatch(), { ...done, more: false });
    assert.equal(await batchStatus(batchId), 'completed');
  });

  it('a batch is completed when its last message expires between two tries of the carrier', async () => {
    const { batchId, groupId, ids } = await page(2, inSeconds(30));
    const provider = stubProvider(() => unavailable);
    const { dispatchMessages } = activitiesWith(provider);
    const early = { attempt: 12, heartbeatDetails: { notBefore: Date.now() + 50_000, waitMs: 60_000 } };
    await expire(ids[0]);
    const failure = await failureOf(inActivity(dispatchMessages, [groupId, batchId], early));
    assert.equal(failure.type, 'NotHandedOff');
    await expire(ids[1]);
    assert.deepEqual(await inActivity(dispatchMessages, [groupId, batchId], early), { ...done, more: false });
    assert.deepEqual([provider.calls, await statuses(ids)], [[], ['failed/expired', 'failed/expired']]);
    assert.equal(await batchStatus(batchId), 'completed');
  });
});
