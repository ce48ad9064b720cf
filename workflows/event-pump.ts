import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { ParentClosePolicy, startChild, workflowInfo } from '@temporalio/workflow';
import { wakeCarrier } from './carry-webhook.js';
import { type DeliverWebhookInput, type LeftDeliveries, workflowIds } from './contract.js';
import { deliverWebhook } from './deliver-webhook.js';

/**
 * Delivers the events of one group, one round at a time so that events of one message keep their order, beside whatever the
 * workflow does meanwhile.
 */
export class EventPump {
  #due = false;
  #running: Promise<void> | undefined;

  /** @param round delivers what is due; tells what has to be started for the rest */
  constructor(private readonly round: () => Promise<LeftDeliveries>) {}

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** There is something to deliver. Returns at once. */
  start(deliveries = 1): void {
    if (deliveries === 0) return;
    this.#due = true;
    this.#running ??= this.#pump();
  }

  /** Waits until everything has had its first attempt or is carried by a child workflow. */
  async drained(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #pump(): Promise<void> {
    while (this.#due) {
      this.#due = false;
      const { children, carriers } = await this.round();
      await Promise.all([...children.map((input) => startDelivery(input)), ...carriers.map(wakeCarrier)]);
    }
    this.#running = undefined;
  }
}

/**
 * Starts the child that carries retries and waits until it exists: a parent that closes earlier would take it along.
 * @param idOf names it after the first of the deliveries
 */
export async function startDelivery(input: DeliverWebhookInput, idOf = workflowIds.deliveries): Promise<void> {
  const [first] = input.deliveryIds;
  if (first === undefined) return;
  try {
    await startChild(deliverWebhook, {
      workflowId: idOf(first),
      args: [input],
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: `${input.deliveryIds.length} deliveries to webhook ${input.webhookId}`,
      ...(workflowInfo().typedSearchAttributes === undefined ? {} : { typedSearchAttributes: workflowInfo().typedSearchAttributes }),
      priority: { priorityKey: 3 },
    });
  } catch (error) {
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error; // somebody carries them already
  }
}
