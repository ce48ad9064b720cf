/** Case d: batches with one webhook on all events. A batch is done when its messages are delivered and the receiver has all events. */
import { connect, select } from '../../models/db/database.js';
import { workflowTypes } from '../../workflows/contract.js';
import { messageWorkflows } from '../../harness/measure/open-workflows.js';
import type { MeasuredCase } from './measured-case.js';
import type { Sent } from '../../harness/measure/pass.js';
import type { Cleanup } from '../../harness/stage/cleanup.js';
import { batchIdOf, createSender } from '../../harness/load/sender.js';
import { untilBatchDelivered } from './batch-done.js';
import { servicePids, type Workbench } from '../../harness/stage/workbench.js';

const batchWorkflows = [...messageWorkflows, workflowTypes.sendBatch];

export interface Bulk {
  /** Sends a batch to this many recipients. */
  start(recipients: number): Promise<StartedBatch>;
  /** The case of one batch of this size. */
  caseOf(key: 'd3' | 'd10', recipients: number): MeasuredCase;
}

export interface StartedBatch {
  acceptMs: number;
  /** Resolves when the batch is done, with the times of each message. */
  done(): Promise<Sent[]>;
}

/** @param apiKey the key of an account whose webhook is the receiver */
export function openBulk(bench: Workbench, apiKey: string, cleanup: Cleanup): Bulk {
  const sender = createSender(bench.service.baseUrl, apiKey);
  const db = connect(bench.service.databaseUrl, 1);
  cleanup.add(() => db.close());

  const start = async (recipients: number): Promise<StartedBatch> => {
    const startedAt = Date.now();
    const batchId = batchIdOf(await sender.postBulk(recipients));
    const acceptMs = Date.now() - startedAt;
    const done = async () => {
      await untilBatchDelivered(db, batchId);
      const messages = await select<{ id: string; done_at: Date }>(db, delivered, [batchId]);
      await Promise.all(messages.map(({ id }) => bench.receiver.until(id)));
      return messages.map(({ done_at }) => ({ acceptMs, doneMs: done_at.getTime() - startedAt }));
    };
    return { acceptMs, done };
  };

  return {
    start,
    caseOf: (key, recipients) => ({
      key,
      title: `batch of ${recipients.toLocaleString('en')}`,
      sendAll: async () => (await start(recipients)).done(),
      workflowTypes: batchWorkflows,
      pids: () => servicePids(bench),
    }),
  };
}

const delivered = `SELECT id, delivered_at AS done_at FROM messages WHERE batch_id = $1 AND status = 'delivered'`;
