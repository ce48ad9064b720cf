/** The metric of the time of a page of a batch. */
import assert from 'node:assert/strict';
import { workMetrics } from '../../../models/metrics/catalogue.js';
import { cancelBatch } from '../../../models/operations/batches/change-batch.js';
import { stubProvider } from '../../support/carriers/stub-provider.js';
import { rows } from '../../support/database.js';
import { inActivity } from '../../support/temporal/in-activity.js';
import { buildPage } from '../../models/operations/batches/new-batch.js';
import { unavailable } from './two-accounts.js';
import { useMessageActivities } from './use-message-activities.js';

/** How many pages were measured, and their seconds together. */
async function measured(): Promise<{ pages: number; seconds: number }> {
  const { values } = await workMetrics.pageSeconds.get();
  const of = (part: string) => values.find(({ metricName }) => metricName?.endsWith(part) === true)?.value ?? 0;
  return { pages: of('_count'), seconds: of('_sum') };
}

describe('the metric of pages', () => {
  const { test, activitiesWith } = useMessageActivities();
  /** A charged batch of one page, whose second message is taken only when `isUp`. */
  const page = async () => {
    const { batchId, groupId } = await buildPage(test.db, test.workspaceId);
    const carrier = { isUp: false };
    const provider = stubProvider(({ id: message }, call) =>
      call === 1 || carrier.isUp ? { outcome: 'accepted', provider_message_id: `p-${message}` } : unavailable,
    );
    const dispatch = () => inActivity(activitiesWith(provider).dispatchMessages, [groupId, batchId]);
    return { batchId, groupId, carrier, dispatch };
  };
  const age = (groupId: string, minutes: number) =>
    rows(test.db, "UPDATE message_groups SET announced_at = announced_at - $2 * interval '1 minute' WHERE id = $1", [groupId, minutes]);

  it('a page is measured once, from its start to its last hand-off, however many hand-offs it needs', async () => {
    const { groupId, carrier, dispatch } = await page();
    const before = await measured();
    assert.equal((await dispatch()).queued, 1);
    assert.equal((await measured()).pages, before.pages, 'a message is still queued');
    await age(groupId, 10);
    carrier.isUp = true;
    assert.equal((await dispatch()).queued, 0);
    const after = await measured();
    assert.equal(after.pages, before.pages + 1);
    assert.ok(after.seconds - before.seconds >= 600 && after.seconds - before.seconds < 900, String(after.seconds));
    await dispatch();
    assert.deepEqual(await measured(), after, 'a worker that repeats the hand-off finds nothing to do');
  });

  it('a page whose last message is refused instead of handed off is measured', async () => {
    const { groupId, dispatch } = await page();
    const before = await measured();
    assert.equal((await dispatch()).queued, 1);
    await rows(test.db, "UPDATE messages SET expires_at = now() WHERE group_id = $1 AND status = 'queued'", [groupId]);
    assert.equal((await dispatch()).queued, 0);
    assert.equal((await measured()).pages, before.pages + 1);
  });

  it('a page that was opened before its time is measured from its scheduled time', async () => {
    const { batchId, groupId, carrier, dispatch } = await page();
    const before = await measured();
    carrier.isUp = true;
    await rows(test.db, "UPDATE message_groups SET announced_at = now() - interval '2 days' WHERE id = $1", [groupId]);
    await rows(test.db, "UPDATE batches SET scheduled_at = now() - interval '10 minutes' WHERE id = $1", [batchId]);
    await dispatch();
    const after = await measured();
    assert.ok(after.seconds - before.seconds >= 600 && after.seconds - before.seconds < 900, String(after.seconds));
  });

  it('a page of a cancelled batch is not measured', async () => {
    const { batchId, dispatch } = await page();
    assert.equal((await dispatch()).queued, 1);
    const before = await measured();
    await cancelBatch(test.db, test.workspaceId, batchId);
    assert.equal((await dispatch()).queued, 0);
    assert.deepEqual(await measured(), before);
  });
});
