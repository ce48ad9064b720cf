import assert from 'node:assert/strict';
import { Delivery } from '../../../../models/tables/delivery.js';
import { rows } from '../../../support/database.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { buildBacklog } from '../../../support/rows/deliveries.js';
import { entriesRead } from '../../../support/rows/entries-read.js';
import { buildWebhook, buildWorkspace } from '../../../support/rows/factories.js';
import { buildSent } from '../../../support/rows/messages.js';

const history = 5_000;

describe('lists of the deliveries of a webhook with a long history', () => {
  const test = workspaceForEach({ poolMax: 1 });

  it('a list of the deliveries of a message, or of pending ones, reads few rows', async () => {
    const { row: webhook } = await buildWebhook(test.workspaceId, 'https://one.example.test/');
    await buildBacklog(test.db, webhook, { count: history });
    await rows(test.db, `UPDATE deliveries SET status = 'succeeded', next_attempt_at = NULL`);
    const { row: other } = await buildWebhook((await buildWorkspace(test.db)).id, 'https://two.example.test/');
    await buildBacklog(test.db, other, { count: history });
    const { id } = await buildSent(test.db, test.workspaceId);
    await rows(test.db, `UPDATE deliveries SET carried = event = 'message.queued' WHERE message_id = $1`, [id]);
    await rows(test.db, 'VACUUM ANALYZE events, deliveries');
    await webhook.reload();
    for (const filters of [{ message_id: id }, { status: ['pending' as const] }, { status: ['pending' as const, 'failed' as const] }]) {
      const found: string[] = [];
      const read = await entriesRead(test.db, 'deliveries', async () => {
        for (const page of [1, 2]) {
          const { rows: listed, total } = await Delivery.pageOf(webhook, filters, { page, limit: 1 });
          found.push(...listed.map(({ event }) => event));
          assert.equal(total, 2);
        }
      });
      assert.deepEqual(found, ['message.sent', 'message.queued']);
      assert.ok(read < 100, `${read} deliveries were read: ${JSON.stringify(filters)}`);
    }
  });
});
