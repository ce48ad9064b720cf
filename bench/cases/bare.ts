/** Case a: the bare workflow, driven in the same way as the API and a provider drive ours. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, WithStartWorkflowOperation } from '@temporalio/client';
import { bundleWorkflowCode, DefaultLogger } from '@temporalio/worker';
import { type BareMessage, bareQueue, bareSignal, bareType, bareUpdate } from './bare-contract.js';
import { nextMessage, startChild } from '../../harness/stage/child.js';
import type { Cleanup } from '../../harness/stage/cleanup.js';
import { Marks } from '../../harness/measure/marks.js';
import type { Sent } from '../../harness/measure/pass.js';
import { sandboxDelayMs } from '../../harness/stage/service.js';

export interface Bare {
  pid: number;
  /** Runs one message from start to end. */
  send(): Promise<Sent>;
}

/**
 * Builds the bundle and starts the worker in a separate process, which ends with this one.
 * @param folder the folder of the bundle
 */
export async function startBare(client: Client, temporalAddress: string, folder: string, cleanup: Cleanup): Promise<Bare> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(import.meta.dirname, 'bare-workflow.js'),
    logger: new DefaultLogger('WARN'),
  });
  const bundle = join(folder, 'bare-workflow.bundle.js');
  await writeFile(bundle, code);
  const handedOff = new Marks('handed off');
  const done = new Marks('finished');
  const child = startChild(join(import.meta.dirname, 'bare-worker.js'), cleanup, { args: [temporalAddress, bundle] });
  await nextMessage(child);
  child.on('message', (message: BareMessage) => {
    if ('handedOff' in message) handedOff.note(message.handedOff);
    else done.note(message.done);
  });

  return {
    pid: child.pid ?? 0,
    async send() {
      const id = `bare:${randomUUID()}`;
      const startedAt = performance.now();
      await accept(client, id);
      const acceptMs = performance.now() - startedAt;
      await handedOff.of(id);
      await sleep(sandboxDelayMs);
      await client.workflow.getHandle(id).signal(bareSignal);
      await done.of(id);
      return { acceptMs, doneMs: performance.now() - startedAt };
    },
  };
}

function accept(client: Client, workflowId: string): Promise<boolean> {
  const startWorkflowOperation = new WithStartWorkflowOperation<() => Promise<void>>(bareType, {
    taskQueue: bareQueue,
    workflowId,
    args: [],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
  });
  return client.workflow.executeUpdateWithStart<() => Promise<void>, boolean, []>(bareUpdate, {
    updateId: bareUpdate,
    startWorkflowOperation,
  });
}
