import assert from 'node:assert/strict';
import { cancelPage } from '../../../models/operations/batches/change-batch.js';
import { toCredits } from '../../../models/rules/billing/credits.js';
import { rows } from '../../support/database.js';
import { prices } from '../../support/prices.js';
import { buildAcceptedBatch } from '../../support/rows/batches.js';
import { useTimelines } from './use-timelines.js';

describe('refunds in the timeline of a message of a cancelled batch', () => {
  const timelines = useTimelines();
  const { app, timelineOf, stepsOf } = timelines;

  const threeInOnePage = async () => {
    const { id, pages } = await buildAcceptedBatch(timelines.db, timelines.account.workspaceId, [3]);
    return { batchId: id, page: pages[0]?.groupId ?? '', ids: pages[0]?.ids ?? [] };
  };
  const cancelBatch = (id: string) => app.call('POST', `/api/v1/messages/bulk/${id}/cancel`, { key: timelines.account.key });
  /** The amounts of the transactions that refund each message, beside its share. */
  const refundsOf = async (ids: readonly string[]) => {
    const shown: unknown[] = [];
    for (const id of ids) {
      shown.push(stepsOf(await timelineOf(id), 'refunded').map(({ details }) => [details.amount, details.transaction_amount]));
    }
    return shown;
  };
  const refundOf = (messages: number) => [[toCredits(prices.sms), toCredits(messages * prices.sms)]];

  it('a message that was cancelled before its batch has one refund', async () => {
    const { batchId, ids } = await threeInOnePage();
    await app.call('POST', `/api/v1/messages/${ids[1]}/cancel`, { key: timelines.account.key });
    await cancelBatch(batchId);
    assert.deepEqual(await refundsOf(ids), [refundOf(2), refundOf(1), refundOf(2)]);
  });

  it('each message of a page that was cancelled in two parts has the refund of its part', async () => {
    const { batchId, page, ids } = await threeInOnePage();
    await rows(timelines.db, `UPDATE messages SET status_detail = 'sending' WHERE id = $1`, [ids[0]]);
    await cancelBatch(batchId);
    await rows(timelines.db, `UPDATE messages SET status_detail = 'accepted' WHERE id = $1`, [ids[0]]);
    await cancelPage(timelines.db, page);
    assert.deepEqual(await refundsOf(ids), [refundOf(1), refundOf(2), refundOf(2)]);
  });
});
