import assert from 'node:assert/strict';
import { erasingActivities } from '../../../activities/watch/erasing.js';
import { beginErasure } from '../../../models/operations/erasure/begin-erasure.js';
import { createLogger } from '../../../models/process/logger.js';
import { workflowIds } from '../../../workflows/contract.js';
import { byTest } from '../../support/by-test.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { workspaceForEach } from '../../support/for-each.js';
import { buildQueued } from '../../support/rows/factories.js';
import { statusOf } from '../../support/rows/messages.js';

describe('eraseRecipients', () => {
  const test = workspaceForEach();
  const to = '+15551234567';
  const erase = (notifyCancelled: (workflowId: string) => Promise<void> = async () => undefined) =>
    erasingActivities({
      db: test.db,
      config: testConfig(),
      logger: createLogger('test', 'silent'),
      starts: { notifyCancelled },
    }).eraseRecipients();
  const run = async (notifyCancelled: (workflowId: string) => Promise<void>) => {
    const { id } = await buildQueued(test.db, test.workspaceId, { to });
    await beginErasure(test.db, test.workspaceId, to, byTest);
    return { id, ended: erase(notifyCancelled) };
  };

  it('an erasure that cancels a message signals its workflow, which delivers the event', async () => {
    const signalled: string[] = [];
    const { id, ended } = await run(async (workflowId) => void signalled.push(workflowId));
    await ended;
    assert.deepEqual([signalled, await statusOf(test.db, id)], [[workflowIds.message(id)], 'failed/cancelled']);
  });
  it('a message that an erasure cancels stays cancelled when the signal fails', async () => {
    const { id, ended } = await run(async () => Promise.reject(new Error('away')));
    await ended;
    assert.equal(await statusOf(test.db, id), 'failed/cancelled');
  });
  it('an erasure goes on while an earlier one fails, and the step fails', async () => {
    const [broken, other] = ['+15557654321', to];
    const { id: brokenId } = await beginErasure(test.db, test.workspaceId, broken, byTest);
    const { id } = await buildQueued(test.db, test.workspaceId, { to: other });
    await beginErasure(test.db, test.workspaceId, other, byTest);
    await rows(
      test.db,
      `ALTER TABLE erasures ADD CONSTRAINT never_erased CHECK (id <> '${brokenId}' OR place IS NULL AND walked_at IS NULL) NOT VALID`,
    );
    await assert.rejects(erase(), /never_erased/);
    assert.equal(await statusOf(test.db, id), 'failed/cancelled');
    await rows(test.db, 'ALTER TABLE erasures DROP CONSTRAINT never_erased');
    await erase();
  });
});
