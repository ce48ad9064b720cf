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

  it('a status query that fails does not prevent the others, and none is repeated', async () => {
    const [broken, other] = [await buildSent(test.db, test.workspaceId), await buildSent(test.db, test.workspaceId)];
    const { id } = await beginRecovery(test.db, new Date(), null);
    await rows(test.db, `INSERT INTO recovery_messages (recovery_id, kind, message_id) SELECT $1, 'awaiting_report', unnest($2::uuid[])`, [
      id,
      [broken.id, other.id],
    ]);
    const queried: string[] = [];
    const fetchStatus = async (messageId: string) => {
      queried.push(messageId);
      assert.notEqual(messageId, broken.provider_message_id, 'an answer that the adapter cannot read');
      return {
        status: 'delivered' as const,
        error_code: null,
        is_permanent: false,
        provider_error_code: null,
        occurred_at: new Date(),
        raw: '{}',
      };
    };
    const warnings: object[] = [];
    const logger = Object.assign(createLogger('test', 'silent'), { warn: (fields: object) => void warnings.push(fields) });
    const providers = everywhere(stubProvider(undefined, { name: String(broken.provider), fetchStatus }));
    const { askRestored } = restoredActivities({ db: test.db, config: testConfig(), providers, logger });
    const first = await inActivity(askRestored, [id]);
    assert.deepEqual([first.more, first.wakes.length], [false, 1]);
    assert.deepEqual(warnings.length, 1);
    await inActivity(askRestored, [id]);
    assert.deepEqual(queried.toSorted(), [broken, other].map((message) => String(message.provider_message_id)).toSorted());
  });
});
