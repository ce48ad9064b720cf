/**
 * Answers the sends that were in the bulk thread when it ended. Their batches outlive the thread and may be charged. So the main thread decides
 * each batch first, because a 500 promises that nothing was charged.
 */
import { decideStoredBatch } from '../accept/accept-batch.js';
import type { BulkDeps } from '../deps.js';
import { idempotentReply, type Reply } from '../http/reply.js';
import type { AcceptBatchRequest } from '../outside/temporal.js';
import { presentAcceptedBatch } from '../present/presenters.js';
import type { AcceptBatchAnswer } from '../../workflows/contract.js';

/** A request in the bulk thread asks for the decision on a batch. */
export interface BatchQuestion extends AcceptBatchRequest {
  /** The id that the request gives to a batch of its own. */
  newId: string;
}

/** The sends in the bulk thread. The batch of a send is known by its id. */
export class UnansweredSends {
  /** By `newId` of a request: the batch that it asked about. With an idempotency key, this may be the batch of an earlier request. */
  readonly #batches = new Map<string, string>();

  /** @param deps the services of the main thread */
  constructor(private readonly deps: BulkDeps) {}

  /** Asks the workflow on behalf of the bulk thread. */
  acceptBatch({ newId, ...asked }: BatchQuestion): Promise<AcceptBatchAnswer> {
    this.#batches.set(newId, asked.batchId);
    return this.deps.temporal.acceptBatch(asked);
  }

  /**
   * The response to a request whose thread has ended, once its batch is decided; null if it has none, so nothing is charged. The thread alone
   * knew the ignored fields, so the response does not name them.
   * @throws AppError why the batch was not accepted
   */
  async reply(newId: string): Promise<Reply | null> {
    const batchId = this.#batches.get(newId) ?? newId;
    const row = await decideStoredBatch(this.deps, batchId);
    return row === null ? null : idempotentReply({ batch: presentAcceptedBatch(row) }, batchId !== newId);
  }

  /** Forgets a request that has been answered. */
  forget(newId: string): void {
    this.#batches.delete(newId);
  }
}
