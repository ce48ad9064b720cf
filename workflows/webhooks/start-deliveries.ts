import { patched, sleep, uuid4 } from '@temporalio/workflow';
import { wakeRetrier } from './retry-webhook.js';
import { type LeftDeliveries, workflowIds } from '../contract.js';
import { deliveryPriority } from '../starts.js';
import { startDelivery } from './deliver-webhook.js';
import { inheritedAttributes, startUnlessRunning } from '../other-workflows.js';

/** Maximum number of children that one workflow starts. */
const chunkSize = 100;
/**
 * How many retriers are woken at once, and the pause until the next ones. A retrier that starts costs as much CPU as a send. With 25 at once, the
 * sends of all workspaces waited for a second.
 */
const wokenAtOnce = 4;
const wakePauseMs = 150;

/**
 * Starts workflows for deliveries, and ends. A workflow with 2,000 pending children is blocked, and an abandoned child counts as pending while
 * both are open. A group stays open for long, so it leaves most of its starts to workflows of this type.
 */
export async function startDeliveries({ children, retriers, workspaces = {} }: LeftDeliveries): Promise<void> {
  await Promise.all([...children.map((child) => startDelivery(child, workspaces[child.webhookId])), wakeRetriers(retriers, workspaces)]);
}

async function wakeRetriers(webhookIds: readonly string[], workspaces: Readonly<Record<string, string>>): Promise<void> {
  for (let begun = 0; begun < webhookIds.length; begun += wokenAtOnce) {
    if (begun > 0) await sleep(wakePauseMs);
    await Promise.all(webhookIds.slice(begun, begun + wokenAtOnce).map((webhookId) => wakeRetrier(webhookId, workspaces[webhookId])));
  }
}

/**
 * Starts the workflows that rounds of deliveries ask for, as children of this workflow. A round that would bring their number above 100 is started in
 * chunks as a whole.
 */
export class DeliveryStarter {
  #own = 0;

  /** Resolves when the workflows, or the chunks that start them, have started. */
  async start({ children, retriers, workspaces = {} }: LeftDeliveries): Promise<void> {
    const count = children.length + retriers.length;
    if (this.#own + count <= chunkSize) {
      this.#own += count;
      return startDeliveries({ children, retriers, workspaces });
    }
    const chunks = [
      ...inChunks(children).map((chunk) => ({ children: chunk, retriers: [], workspaces })),
      ...inChunks(retriers).map((chunk) => ({ children: [], retriers: chunk, workspaces })),
    ];
    await Promise.all(chunks.map(startChunk));
  }
}

const inChunks = <Item>(items: readonly Item[]): Item[][] =>
  Array.from({ length: Math.ceil(items.length / chunkSize) }, (_, index) => items.slice(index * chunkSize, (index + 1) * chunkSize));

/**
 * Starts one chunk. A repeated round asks for the same chunk, which is not started twice while it runs. But the retriers of a webhook are those of
 * all groups of its workspace: the running chunk of another group may begin with the same one. Then this one starts under an id of its own.
 */
async function startChunk(chunk: LeftDeliveries): Promise<void> {
  const first = chunk.children[0]?.deliveryIds[0] ?? chunk.retriers[0] ?? '';
  if (await startChunkAs(first, chunk)) return;
  // Only here, so that almost no history has the mark of the patch, with which the version before cannot replay it.
  if (chunk.retriers.length > 0 && patched('retriers-of-others')) await startChunkAs(uuid4(), chunk);
}

/** @returns false when a chunk with this id runs */
function startChunkAs(id: string, chunk: LeftDeliveries): Promise<boolean> {
  return startUnlessRunning(startDeliveries, chunk, {
    workflowId: workflowIds.starts(id),
    staticSummary: `workflows for deliveries to start: ${chunk.children.length + chunk.retriers.length}`,
    ...inheritedAttributes(),
    priority: deliveryPriority(),
  });
}
