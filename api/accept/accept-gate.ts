/** The accept gate stores single sends and starts their workflows. Sends that arrive at the same time are stored together and share one workflow. */
import { makeId } from '../../models/rules/values/make-id.js';
import { AdmissionControl } from '../../models/flow/admission-control.js';
import { forEachChannel } from '../../models/channels.js';
import { AppError, busy, internal } from '../../models/errors.js';
import type { Pace } from '../../models/flow/give-way.js';
import { BatchQueue, type BatchQueueOptions, QueueTimeoutError } from '../../models/flow/batch-queue.js';
import { apiMetrics } from '../../models/metrics/catalogue.js';
import { observeAccept } from '../../models/metrics/observe.js';
import { isDataError } from '../../models/db/sql-state.js';
import type { MessageRow, NewMessage } from '../../models/tables/message.js';
import { insertMessages } from '../../models/operations/messages/insert-messages.js';
import type { FallbackStep } from '../../models/rules/messages/fallback.js';
import { workflowIds } from '../../workflows/contract.js';
import type { Config } from '../../models/settings/config.js';
import { type MessageDecisionDeps, decideMessages } from './decide-messages.js';

export interface AcceptGate {
  /**
   * Admits a send before it uses the database. Every key gets the same share of an overloaded service.
   * @param key the workspace of the send
   * @returns a function to call when the send is answered
   * @throws AppError 503 when the service is too busy to accept the send in time
   */
  enter(key: string): () => void;
  /** Whether `enter` would refuse a send of this key now. */
  isFullFor(key: string): boolean;
  /**
   * Stores a message, alone or together with others, and waits until its workflow has accepted or refused it.
   * @param webhooks how many webhooks its workspace has; with many of them the message is grouped with messages of its own workspace only
   * @returns null when another message has the same idempotency key; nothing was stored then
   * @throws AppError when the message is refused; nothing was stored then
   */
  accept(message: NewMessage, fallback?: readonly FallbackStep[], webhooks?: number): Promise<MessageRow | null>;
}

/** A message and its fallback steps, which are sent when it is not delivered. */
interface Send {
  message: NewMessage;
  fallback: readonly FallbackStep[];
}

type Outcome = MessageRow | AppError | null;

/** The target latency of a send. The gate refuses new sends while accepting one would take longer. */
const maxLatencyMs = 1_200;
/** A send that has waited longer than this gets a 503. A retry serves its client better. */
const maxWaitMs = 5_000;
/** An accept that takes longer than this is considered stuck, and other sends no longer wait for it. */
const slowAfterMs = 2_000;
/** How long it takes to accept a full group on a busy service. */
const minGroupRoundMs = 750;
/**
 * How many messages with a workflow of their own are accepted at the same time; `ACCEPT_LANES` can raise it. More would only wait inside
 * Temporal and PostgreSQL: on two cores 10 at a time are 30 a second, and 50 at a time are 17 a second, with timeouts.
 */
const singleConcurrency = 10;
/**
 * A message of a workspace with many webhooks costs as much as several others, because each of its events is delivered to each webhook.
 * The groups of such workspaces are smaller by this factor, and are accepted one at a time, which leaves most of the database to others.
 */
const manyWebhooksFactor = 4;
/** The workspace rests between its groups, so that many sends make few groups. A single send after a pause does not wait. */
const manyWebhooksRest = 3;
/** How long it takes to accept the concurrent single messages on a busy service. */
const minSingleRoundMs = 300;

export type AcceptGateDeps = MessageDecisionDeps & {
  config: Readonly<Config>;
  /** Counts accepts as urgent, so that the bulk thread gives way to them. */
  urgent?: Pick<Pace, 'run'>;
};

/**
 * A group contains messages of one channel, because they share its timeouts. Workspaces take turns in a group. A workspace with many
 * webhooks has groups of its own. A scheduled message is never grouped, because the others would wait for it. A message with a fallback
 * is never grouped, because the fallback has its own timer.
 */
export function createAcceptGate(deps: AcceptGateDeps, maxQueueMs = maxWaitMs): AcceptGate {
  const { acceptGroupMax: groupSize, acceptConcurrency, sharedGroupWebhooks } = deps.config;
  const admission = new AdmissionControl(
    groupSize === 1
      ? { capacity: maxSinglesOf(deps.config), maxLatencyMs, minRoundMs: minSingleRoundMs }
      : { capacity: groupSize * acceptConcurrency, maxLatencyMs, minRoundMs: minGroupRoundMs },
  );
  const { singles, shared, manyWebhooks } = createQueues(deps, admission, maxQueueMs);

  return {
    enter: (key) => admission.enter(key),
    isFullFor: (key) => admission.isFullFor(key),
    async accept(message, fallback = [], webhooks = 0) {
      const isSingle = groupSize === 1 || message.status_detail === 'scheduled' || fallback.length > 0;
      const groups = webhooks > sharedGroupWebhooks ? manyWebhooks : shared;
      const queue = isSingle ? singles : groups[message.channel];
      return observeAccept(message.channel, async () => {
        const outcome = await queue.add({ message, fallback }).catch(refuseLate);
        if (outcome instanceof AppError) throw outcome;
        return outcome;
      });
    },
  };
}

const maxSinglesOf = ({ acceptConcurrency }: Config) => Math.max(acceptConcurrency, singleConcurrency);

/** The queues in which sends wait: for a workflow of their own, for a shared group, and for a group of a workspace with many webhooks. */
function createQueues(deps: AcceptGateDeps, admission: AdmissionControl, maxQueueMs: number) {
  const { acceptGroupMax: groupSize, acceptConcurrency } = deps.config;
  const urgently = <Result>(work: () => Promise<Result>): Promise<Result> => deps.urgent?.run(work) ?? work();
  const createQueue = (options: BatchQueueOptions<Send>) =>
    new BatchQueue<Send, Outcome>((sends) => urgently(() => admission.measureRound(() => acceptGroup(deps, sends))), {
      ...options,
      ownerOf: ({ message }) => message.workspace_id,
      maxWaitMs: maxQueueMs,
      slowAfterMs,
    });
  return {
    singles: createQueue({ maxBatchSize: 1, concurrency: maxSinglesOf(deps.config) }),
    shared: forEachChannel(() => createQueue({ maxBatchSize: groupSize, concurrency: acceptConcurrency })),
    manyWebhooks: forEachChannel(() =>
      createQueue({
        maxBatchSize: Math.max(1, Math.floor(groupSize / manyWebhooksFactor)),
        oneOwnerPerBatch: true,
        restShare: manyWebhooksRest,
      }),
    ),
  };
}

/** A send that waited too long is answered 503. */
function refuseLate(error: unknown): never {
  throw error instanceof QueueTimeoutError ? busy() : error;
}

/** Stores the sends as one group with one workflow, and returns the outcome of each send in the given order. */
async function acceptGroup(deps: MessageDecisionDeps, sends: Send[]): Promise<Outcome[]> {
  const [first] = sends;
  if (first === undefined) return [];
  const { message, fallback } = first; // a send with a fallback is always alone in its group
  apiMetrics.groupSize.observe(sends.length);
  const groupId = sends.length === 1 ? message.id : makeId();
  // Stamped after the wait: an erasure that was completed meanwhile leaves out only what was created after its request.
  const created_at = new Date();
  const members = sends.map((send) => ({ ...send.message, group_id: groupId, created_at }));
  const workflowId = workflowIds.group({ id: message.id, group_id: groupId, batch_id: null });
  const rows = await insertMessages(deps.db, { groupId, workflowId, messages: members, fallback }).catch((error: unknown) => {
    if (sends.length > 1 && isDataError(error)) return null;
    throw error;
  });
  if (rows === null) return acceptHalves(deps, sends);
  const stored = new Map(rows.map((row) => [row.id, row]));
  const [step] = fallback;
  const decisions = await decideMessages(deps, rows, step === undefined ? undefined : step.after * 1000);
  return members.map(({ id }) => decisions.get(id) ?? stored.get(id) ?? null);
}

/**
 * Accepts the sends in two groups, after the database refused a value in one of them: the others may belong to other workspaces. Halves need
 * fewer workflows than single sends until the refused one is alone.
 */
async function acceptHalves(deps: MessageDecisionDeps, sends: Send[]): Promise<Outcome[]> {
  const middle = Math.ceil(sends.length / 2);
  const outcomes = await Promise.all(
    [sends.slice(0, middle), sends.slice(middle)].map((half) =>
      acceptGroup(deps, half).catch((error: unknown) => half.map(() => internal(error))),
    ),
  );
  return outcomes.flat();
}
