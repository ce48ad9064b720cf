import assert from 'node:assert/strict';
import { restoredActivities } from '../../activities/reports/restored.js';
import { createLogger } from '../../models/process/logger.js';
import { beginRecovery } from '../../models/operations/recovery/begin-recovery.js';
import { everywhere, stubProvider } from '../support/carriers/stub-provider.js';
import { testConfig } from '../support/config.js';
import { rows } from '../support/database.js';
import { workspaceForEach } from '../support/for-each.js';
import { buildSent } from '../support/rows/messages.js';
import { inActivity } from '../support/temporal/in-activity.js';

describe('the status queries after a restore', () => {
  const test = workspaceForEach();

  const report = { status: 'delivered' as const, error_code: null, is_permanent: false, provider_error_code: null, raw: '{}' };

  /** Two messages of a recovery, and the activity that queries this carrier about them. */
  async function begin(fetchStatus: (id: string) => Promise<typeof report & { occurred_at: Date }>) {
    const [one, other] = [await buildSent(test.db, test.workspaceId), await buildSent(test.db, test.workspaceId)];
    const { id } = await beginRecovery(test.db, new Date(), null);
    await rows(test.db, `INSERT INTO recovery_messages (recovery_id, kind, message_id) SELECT $1, 'awaiting_report', unnest($2::uuid[])`, [
      id,
      [one.id, other.id],
    ]);
    const warnings: object[] = [];
    const logger = Object.assign(createLogger('test', 'silent'), { warn: (fields: object) => void warnings.push(fields) });
    const providers = everywhere(stubProvider(undefined, { name: String(one.provider), fetchStatus }));
    const { askRestored } = restoredActivities({ db: test.db, config: testConfig(), providers, logger });
    const query = (attempt = 1) => inActivity(askRestored, [id], attempt);
    return { query, warnings, ids: [one, other].map((message) => String(message.provider_message_id)) };
  }

  it('a status query that fails does not prevent the others, and none is repeated', async () => {
    const queried: string[] = [];
    const { query, warnings, ids } = await begin(async (id) => {
      queried.push(id);
      if (queried.length === 1) assert.fail('an answer that the adapter cannot read');
      return { ...report, occurred_at: new Date() };
    });
    const first = await query();
    assert.deepEqual([first.more, first.wakes.length, warnings.length], [false, 1, 1]);
    await query();
    assert.deepEqual(queried.toSorted(), ids.toSorted());
  });

  it('status queries that all fail are repeated, but a carrier that is gone does not stop the recovery', async () => {
    const { query, warnings } = await begin(() => Promise.reject(new Error('no way out')));
    await assert.rejects(query(), /no way out/);
    assert.deepEqual(await query(5), { wakes: [], more: false });
    assert.equal(warnings.length, 1);
  });
});
