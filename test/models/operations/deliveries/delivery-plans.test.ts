import assert from 'node:assert/strict';
import type { Database } from '../../../../models/db/database.js';
import { leaveToRetriers } from '../../../../models/operations/deliveries/retriers.js';
import { retrierDeliveries, firstDeliveries } from '../../../../models/operations/deliveries/due-deliveries.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { entriesRead } from '../../../support/rows/entries-read.js';
import { buildBacklog, buildDelivery } from '../../../support/rows/deliveries.js';
import { buildWebhook, buildWorkspace } from '../../../support/rows/factories.js';

const backlog = 2_000;
/** Far more than the statements need, far less than the backlog. */
const readMax = 200;

/**
 * PostgreSQL keeps the plan of a statement from its first calls, when the tables may have been small. It plans anew once autovacuum has looked
 * at a table. Here it must not: that plan would depend on the rows of that moment.
 */
describe('plans that were made while the tables were small', () => {
  const test = useDatabase({ poolMax: 1, forEachTest: true }); // one connection keeps all plans
  let workspaceId: string;
  let webhook: Awaited<ReturnType<typeof buildWebhook>>;
  before(async () => {
    await rows(test.db, 'ALTER TABLE deliveries SET (autovacuum_enabled = false)');
  });
  beforeEach(async () => {
    workspaceId = (await buildWorkspace(test.db)).id;
    webhook = await buildWebhook(workspaceId, 'https://one.example.test/');
    const { group_id, id, webhook_id } = await buildDelivery(test.db, workspaceId);
    await firstDeliveries(test.db, group_id, true);
    await leaveToRetriers(test.db, { idle: [{ id, webhook_id }] }, false);
    await retrierDeliveries(test.db, webhook_id, false, 1);
  });

  it('the backlog of a webhook is not read when a group looks for its deliveries', async () => {
    await buildBacklog(test.db, webhook.row, { count: backlog });
    const { group_id } = await buildDelivery(test.db, workspaceId);
    const read = await entriesRead(test.db, 'deliveries', () => firstDeliveries(test.db, group_id, false));
    assert.ok(read < readMax, `${read} index entries`);
  });

  it('the backlog of a webhook is not read when a delivery is left to its retrier', async () => {
    await buildBacklog(test.db, webhook.row, { count: backlog, carried: false });
    const { id, webhook_id } = await buildDelivery(test.db, workspaceId);
    const read = await entriesRead(test.db, 'deliveries', () => leaveToRetriers(test.db, { idle: [{ id, webhook_id }] }, false));
    assert.ok(read < readMax, `${read} index entries`);
  });

  it('the backlog of a webhook is not read for each delivery that its retrier attempts', async () => {
    await buildBacklog(test.db, webhook.row, { count: backlog });
    await inOneGroup(test.db, workspaceId);
    const page = 100;
    const read = await entriesRead(test.db, 'deliveries', () => retrierDeliveries(test.db, webhook.row.id, false, page));
    assert.ok(read < 10 * (backlog + page), `${read} index entries`);
  });

  it('a retrier that looks for the order of events reads only those of the same message', async () => {
    await buildBacklog(test.db, webhook.row, { count: backlog });
    await inOneGroup(test.db, workspaceId, 4);
    const page = 100;
    const read = await entriesRead(test.db, 'deliveries', () => retrierDeliveries(test.db, webhook.row.id, false, page));
    assert.ok(read < 10 * (backlog + page), `${read} index entries`);
  });
});

/** The whole backlog belongs to one group, and to messages with this many events each. With one, nothing stands before a delivery. */
async function inOneGroup(db: Database, workspaceId: string, events = 1): Promise<void> {
  const { group_id } = await buildDelivery(db, workspaceId);
  await rows(db, `UPDATE deliveries SET group_id = $1, message_id = md5((seq / $2)::text)::uuid WHERE group_id IS NULL`, [
    group_id,
    events,
  ]);
}
