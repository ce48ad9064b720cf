import assert from 'node:assert/strict';
import { recoverDatabase } from '../../../api/recovery/recover-database.js';
import { runRecovery } from '../../../api/recovery/run-recovery.js';
import { beginRecovery, type Recovery } from '../../../models/operations/recovery/begin-recovery.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { workspaceForEach } from '../../support/for-each.js';
import { buildQueued } from '../../support/rows/factories.js';

describe('a repeated recovery', () => {
  const test = workspaceForEach();
  const recover = (recovery: Recovery) => recoverDatabase({ db: test.db, config: testConfig(), recovery, waitSeconds: 600, dryRun: false });

  const [asOf, wrong, right] = [-3_600, -1_800, -60].map((seconds) => new Date(Date.now() + seconds * 1_000)) as [Date, Date, Date];

  it('a recovery that is repeated with a later stop also marks what was due until then', async () => {
    const early = await buildQueued(test.db, test.workspaceId);
    const late = await buildQueued(test.db, test.workspaceId, { scheduled_at: new Date(Date.now() - 600_000), status_detail: 'scheduled' });
    const { uncertain, scheduled } = await recover(await beginRecovery(test.db, asOf, wrong));
    assert.deepEqual([uncertain, scheduled], [[early.id], [late.id]]);

    assert.deepEqual((await beginRecovery(test.db, asOf, null)).stopped_at, wrong);
    const recovery = await beginRecovery(test.db, asOf, right);
    assert.deepEqual([recovery.stopped_at, recovery.marked_at], [right, null]);
    assert.deepEqual((await recover(recovery)).uncertain.toSorted(), [early.id, late.id].toSorted());
    for (const { id } of [early, late]) {
      const attempts = await rows<{ started_at: Date }>(test.db, 'SELECT started_at FROM send_attempts WHERE message_id = $1', [id]);
      assert.deepEqual(attempts, [{ started_at: right }], 'the search at its account counts from the corrected stop');
    }
  });

  it('a recovery that is repeated with an earlier stop is refused', async () => {
    await beginRecovery(test.db, asOf, right);
    await assert.rejects(beginRecovery(test.db, asOf, wrong), /^Error: --stopped-at cannot be before/);
    assert.deepEqual((await beginRecovery(test.db, asOf, right)).stopped_at, right);
    const own = testConfig({ DATABASE_URL: test.url });
    const request = { asOf, stoppedAt: wrong, waitSeconds: 1, dryRun: true, force: false };
    await assert.rejects(runRecovery(own, request), /^Error: --stopped-at cannot be before/);
  });
});
