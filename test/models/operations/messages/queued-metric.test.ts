import assert from 'node:assert/strict';
import { workMetrics } from '../../../../models/metrics/catalogue.js';
import { acceptMessages } from '../../../../models/operations/messages/accept-messages.js';
import { acceptBatch, buildBatch } from '../../../support/rows/batches.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { buildUndecided, buildWebhook } from '../../../support/rows/factories.js';
import { buildGroup } from '../../../support/rows/messages.js';

describe('the metric of statuses', () => {
  const test = workspaceForEach({ balance: 10_000 });

  const queuedSms = async () => {
    const { values } = await workMetrics.statuses.get();
    return values.find(({ labels }) => labels.channel === 'sms' && labels.status === 'queued')?.value ?? 0;
  };
  const acceptTwice = async (accept: () => Promise<unknown>) => {
    const before = await queuedSms();
    await accept();
    await accept();
    return (await queuedSms()) - before;
  };

  it('a single message counts once as queued, with and without a webhook for the event', async () => {
    const { group_id: unheard } = await buildUndecided(test.db, test.workspaceId);
    assert.equal(await acceptTwice(() => acceptMessages(test.db, unheard)), 1);
    await buildWebhook(test.workspaceId, 'https://one.example.test/');
    const { group_id: heard } = await buildUndecided(test.db, test.workspaceId);
    assert.equal(await acceptTwice(() => acceptMessages(test.db, heard)), 1);
  });

  it('each message of a group that is paid counts once as queued', async () => {
    const { groupId } = await buildGroup(test.db, test.workspaceId, [{}, { cost: 1_000_000 }, {}]);
    assert.equal(await acceptTwice(() => acceptMessages(test.db, groupId)), 2);
  });

  it('each message of an accepted batch counts once as queued, and none of a refused one', async () => {
    const { id } = await buildBatch(test.db, test.workspaceId, [2, 3]);
    assert.equal(await acceptTwice(() => acceptBatch(test.db, id)), 5);
    const refused = await buildBatch(test.db, test.workspaceId, [11]);
    assert.equal(await acceptTwice(() => acceptBatch(test.db, refused.id)), 0);
  });
});
