import assert from 'node:assert/strict';
import { claimReplayed } from '../../../../models/operations/replays/claim-replayed.js';
import { cancelReplay } from '../../../../models/operations/replays/replay-progress.js';
import { until } from '../../../support/client.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildDeliveryIn } from '../../../support/rows/deliveries.js';
import { buildReplay, buildWebhook, buildWorkspace } from '../../../support/rows/factories.js';

const waitingFor = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE $1`;

describe('a claim of a replay', () => {
  const test = useDatabase();

  const waits = async (query: string) => (await rows(test.db, waitingFor, [query])).length > 0;

  it('a replayed attempt is made before its replay is cancelled, or refused', async () => {
    const { id: workspaceId } = await buildWorkspace(test.db);
    const webhookId = (await buildWebhook(workspaceId, 'https://one.example.test/')).row.id;
    const { id } = await buildDeliveryIn(test.db, workspaceId, 'failed');
    const replay = await buildReplay(webhookId);
    let isCancelled = false;
    const other = await test.db.transaction();
    await test.db.query('SELECT 1 FROM deliveries WHERE id = $1 FOR NO KEY UPDATE', { bind: [id], transaction: other });
    const claim = claimReplayed(test.db, replay.id, [id], true);
    await until(() => waits('%WITH running%'), 'the claim waits');
    const cancel = cancelReplay(test.db, webhookId, replay.id).then(() => {
      isCancelled = true;
    });
    await until(async () => isCancelled || (await waits('%UPDATE replays%')), 'the cancel waits or is done');
    // A cancel that waits is not done before the claim. Their answers may arrive here in either order.
    const expected = isCancelled ? 'over' : 'claimed';
    await other.rollback();
    assert.deepEqual([await claim, await cancel], [[expected], undefined]);
  });
});
