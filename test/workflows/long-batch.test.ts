import assert from 'node:assert/strict';
import { connectTemporal, type Temporal } from '../../api/outside/temporal.js';
import { workflowIds } from '../../workflows/contract.js';
import { buildBatch } from '../support/rows/batches.js';
import { until } from '../support/client.js';
import { rows } from '../support/database.js';
import { buildWorkspace } from '../support/rows/factories.js';
import { assertBooks } from '../../harness/checks/invariants.js';
import { ownTemporal } from '../support/temporal/own-temporal.js';
import { type Service, startService } from '../support/service.js';

describe('the workflow of a long batch', () => {
  let service: Service;
  let temporal: Temporal;
  before(async () => {
    // The server suggests it after 4,096 events: some 150,000 recipients.
    service = await startService({ isHere: true, temporal: await ownTemporal(['limit.historyCount.suggestContinueAsNew=30']) });
    temporal = connectTemporal(service.config);
  });
  after(async () => {
    await temporal.close();
    await service.stop();
  });

  it('the workflow of a long batch continues as new at the next page, and sends each message once', async () => {
    const pages = 55; // fifty are started at once
    const { db } = service;
    const workspace = await buildWorkspace(db, pages * 1_000);
    const batch = await buildBatch(db, workspace.id, Array<number>(pages).fill(1));
    const answer = await temporal.acceptBatch({ batchId: batch.id, workspaceId: workspace.id, channel: 'sms', traceparent: null });
    assert.deepEqual(answer, { accepted: true });
    const count = async (sql: string) => (await rows<{ count: number }>(db, `SELECT count(*) AS count ${sql}`, [batch.id]))[0]?.count;
    await until(async () => (await count(`FROM messages WHERE batch_id = $1 AND status = 'delivered'`)) === pages, 'all are delivered');
    assert.equal(await count('FROM send_attempts a JOIN messages m ON m.id = a.message_id WHERE m.batch_id = $1'), pages);
    await assertBooks(db);

    const { runId, raw } = await service.temporal.client.workflow.getHandle(workflowIds.batch(batch.id)).describe();
    const firstRunId = raw.workflowExecutionInfo?.firstRunId;
    assert.ok(firstRunId);
    assert.notEqual(runId, firstRunId, 'it is not the run that was accepted');

    // A client waits until a batch is accepted, and nobody waits for its pages.
    const [last] = await rows<{ workflow_id: string }>(db, 'SELECT workflow_id FROM message_groups WHERE batch_id = $1 ORDER BY id DESC', [
      batch.id,
    ]);
    const { client } = service.temporal;
    for (const [workflowId, priorityKey] of [[workflowIds.batch(batch.id), 2] as const, [last?.workflow_id ?? '', 4] as const]) {
      const { priority } = await client.workflow.getHandle(workflowId).describe();
      assert.deepEqual([priority?.priorityKey, priority?.fairnessKey], [priorityKey, workspace.id], workflowId);
    }
  });
});
