import { workflowInfo } from '@temporalio/workflow';
import { wakeCarrier } from './carry-webhook.js';
import { type LeftDeliveries, workflowIds } from './contract.js';
import { startDelivery } from './deliver-webhook.js';
import { startUnlessRunning } from './other-workflows.js';

/** Workflows that one workflow starts at most, and that it has open as its children. */
const chunkSize = 100;

/**
 * Starts the workflows that carry deliveries, and ends. An abandoned child counts as pending in its parent until one of them closes, and a parent
 * with 2,000 pending children can do nothing further: so a group, which stays open, has the workflows of most of its deliveries started by these.
 */
export async function startDeliveries({ children, carriers, workspaces = {} }: LeftDeliveries): Promise<void> {
  await Promise.all([
    ...children.map((child) => startDelivery(child, workspaces[child.webhookId])),
    ...carriers.map((webhookId) => wakeCarrier(webhookId, workspaces[webhookId])),
  ]);
}

/** Starts what rounds of deliveries have left: the first ones as children of this workflow, all others in chunks. */
export class DeliveryStarter {
  #own = 0;

  /** Resolves when whoever starts the workflows has been started. */
  async start({ children, carriers, workspaces = {} }: LeftDeliveries): Promise<void> {
    const count = children.length + carriers.length;
    if (this.#own + count <= chunkSize) {
      this.#own += count;
      return startDeliveries({ children, carriers, workspaces });
    }
    const chunks = [
      ...inChunks(children).map((chunk) => ({ children: chunk, carriers: [], workspaces })),
      ...inChunks(carriers).map((chunk) => ({ children: [], carriers: chunk, workspaces })),
    ];
    await Promise.all(chunks.map(startChunk));
  }
}

const inChunks = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / chunkSize) }, (_, index) => items.slice(index * chunkSize, (index + 1) * chunkSize));

/** A round that is repeated starts the same chunk; where that runs still, it starts the same workflows. */
async function startChunk(chunk: LeftDeliveries): Promise<void> {
  const { typedSearchAttributes } = workflowInfo();
  const first = chunk.children[0]?.deliveryIds[0] ?? chunk.carriers[0] ?? '';
  await startUnlessRunning(startDeliveries, chunk, {
    workflowId: workflowIds.starts(first),
    staticSummary: `starts ${chunk.children.length + chunk.carriers.length} workflows of deliveries`,
    ...(typedSearchAttributes === undefined ? {} : { typedSearchAttributes }),
    priority: { priorityKey: 3 },
  });
}
