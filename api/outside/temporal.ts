/** The API's client of Temporal. It connects on first use, and reconnects when needed. */
import { Client, Connection, WithStartWorkflowOperation } from '@temporalio/client';
import type { Channel } from '../../models/channels.js';
import type { Config } from '../../models/settings/config.js';
import { atMostEvery } from '../../models/flow/at-most-every.js';
import { countText } from '../../models/rules/values/text.js';
import type { Wake } from '../../models/operations/reports/record-reports.js';
import { withTimeout } from './with-timeout.js';
import { recentPollers } from './pollers.js';
import { notifyPages, triggerWatcher, wakeGroup } from './temporal-signals.js';
import { type AttemptRequest, startOrSignalRetrier, startAttempt, startReplay } from './temporal-deliveries.js';
import { awaitedPriority, groupStart, mailStart, type ReplayRequest } from '../../workflows/starts.js';
import { passTrace, traceAccept } from '../tracing/trace-accept.js';
import {
  type AcceptAnswer,
  type AcceptBatchAnswer,
  acceptUpdate,
  cancelledSignal,
  queues,
  searchAttributes,
  type SendBatchInput,
  type SendGroupInput,
  type SendMessageInput,
  workflowIds,
  workflowTypes,
} from '../../workflows/contract.js';

/** A stored group of messages, to be debited and accepted by its workflow. */
export interface AcceptRequest {
  groupId: string;
  workflowId: string;
  channel: Channel;
  messages: readonly { messageId: string; workspaceId: string; traceparent: string | null }[];
  /** Only for a single message with a fallback. */
  fallbackAfterMs?: number | undefined;
}

/** A stored batch, to be debited and accepted by its workflow. */
export interface AcceptBatchRequest {
  batchId: string;
  workspaceId: string;
  channel: Channel;
  /** The `traceparent` header of the client's request. */
  traceparent: string | null;
}

export interface Temporal {
  /** Starts the workflow of the group, or joins it, and waits until it has accepted or refused each message. */
  accept(request: AcceptRequest): Promise<AcceptAnswer>;
  /** The same for a batch. All its messages must be stored. */
  acceptBatch(request: AcceptBatchRequest): Promise<AcceptBatchAnswer>;
  /** Signals the workflow of a group that reports were stored. Starts another workflow if that of the group has closed. */
  wake(wake: Wake): Promise<void>;
  /** Signals the workflow of a group that one of its messages was cancelled. */
  notifyCancelled(workflowId: string): Promise<void>;
  /** Signals the page workflows of a batch that it was resumed or cancelled; rejects if a signal fails. */
  notifyPages(workflowIds: readonly string[]): Promise<void>;
  /** Starts an attempt of a delivery, or joins the running one, and waits up to two seconds for its outcome. */
  attempt(request: AttemptRequest): Promise<void>;
  /** Signals the retrier of a webhook to check its deliveries now, and starts it if none runs. */
  wakeRetrier(webhookId: string, workspaceId: string): Promise<void>;
  /** Starts a run of the watcher, within seconds. It does not reject: without this call, the schedule starts one within half a minute. */
  wakeWatcher(): void;
  /** Starts a replay. */
  replay(request: ReplayRequest): Promise<void>;
  /** Starts the workflow that sends a mail of the outbox. */
  sendMail(mailId: string): Promise<void>;
  /** Whether workers poll all queues. @param now in milliseconds since 1970, by the clock of the database */
  hasWorker(now: number): Promise<boolean>;
  /** Closes the connection when the signals that were begun have ended, two seconds later at most. Nobody waits for a signal of a callback. */
  close(): Promise<void>;
}

/** Without a worker, Temporal answers nothing either. */
const whoAccepts = 'Temporal or a worker';
/** Timeout of a short call. If a signal fails, the watcher repeats it. */
const shortCallTimeoutMs = 2000;
/** A run looks at the work of all workspaces, so requests of one of them must not start many. */
const watcherRunMsMin = 5_000;
/** How long a resend or test waits for the response of the receiver. */
const outcomeTimeoutMs = 2000;
/** A batch gets this many times the timeout of a message, because its debit queues all its messages in one transaction. */
const batchTimeoutFactor = 3;

export function connectTemporal({ temporalServer, temporalNamespace, acceptTimeoutMs }: Config): Temporal {
  const connection = Connection.lazy(temporalServer);
  const client = new Client({ connection, namespace: temporalNamespace, interceptors: { workflow: [passTrace] } });
  const { shortCall, allEnded } = createShortCalls(client);

  return {
    accept: (request) =>
      traceAccept(request.messages, request.workflowId, () =>
        withTimeout(client, whoAccepts, acceptTimeoutMs, () =>
          client.workflow.executeUpdateWithStart<SendWorkflow, AcceptAnswer, []>(acceptUpdate, {
            updateId: acceptUpdate,
            startWorkflowOperation: startOf(request),
          }),
        ),
      ),
    acceptBatch: (request) =>
      traceAccept([request], workflowIds.batch(request.batchId), () =>
        withTimeout(client, whoAccepts, batchTimeoutFactor * acceptTimeoutMs, () =>
          client.workflow.executeUpdateWithStart<(input: SendBatchInput) => Promise<void>, AcceptBatchAnswer, []>(acceptUpdate, {
            updateId: acceptUpdate,
            startWorkflowOperation: startOfBatch(request),
          }),
        ),
      ),
    wake: (wake) => shortCall(() => wakeGroup(client, wake)),
    notifyCancelled: (workflowId) => shortCall(() => client.workflow.getHandle(workflowId).signal(cancelledSignal)),
    notifyPages: (ids) => shortCall(() => notifyPages(client, ids)),
    async attempt(request) {
      const handle = await shortCall(() => startAttempt(client, request));
      await client.withDeadline(Date.now() + outcomeTimeoutMs, () => handle.result()).catch(() => undefined); // on a timeout, the delivery log contains the outcome later
    },
    wakeRetrier: (webhookId, workspaceId) => shortCall(() => startOrSignalRetrier(client, webhookId, workspaceId)),
    wakeWatcher: atMostEvery(watcherRunMsMin, () => void shortCall(() => triggerWatcher(client)).catch(() => undefined)),
    replay: (request) => shortCall(() => startReplay(client, request)),
    sendMail: (mailId) => shortCall(() => startMail(client, mailId)),
    hasWorker: (now) => shortCall(() => isPolled(client, now)),
    close: () => allEnded().then(() => connection.close()),
  };
}

/** Makes short calls, and waits for all that were begun. */
function createShortCalls(client: Client) {
  const open = new Set<Promise<unknown>>();
  return {
    shortCall<T>(call: () => Promise<T>): Promise<T> {
      const made = withTimeout(client, 'Temporal', shortCallTimeoutMs, call);
      const ended: Promise<unknown> = Promise.allSettled([made]).finally(() => open.delete(ended));
      open.add(ended);
      return made;
    },
    allEnded: () => Promise.all(open),
  };
}

type SendWorkflow = (input: SendMessageInput | SendGroupInput) => Promise<void>;

function startOf({ messages, ...group }: AcceptRequest) {
  const workspaceIds = new Set(messages.map(({ workspaceId }) => workspaceId));
  const [workspaceId = null] = workspaceIds.size === 1 ? workspaceIds : [];
  const messageIds = messages.length > 1 ? messages.map(({ messageId }) => messageId) : [];
  const { type, options } = groupStart(
    { ...group, workspaceId, messageIds },
    { staticSummary: `${group.channel} · ${countText(messages.length, 'single send')}`, priority: awaitedPriority },
  );
  return new WithStartWorkflowOperation<SendWorkflow>(type, {
    ...options,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
  });
}

function startOfBatch({ batchId, workspaceId, channel }: AcceptBatchRequest) {
  return new WithStartWorkflowOperation<(input: SendBatchInput) => Promise<void>>(workflowTypes.sendBatch, {
    taskQueue: queues.messages,
    workflowId: workflowIds.batch(batchId),
    args: [{ batchId }],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    typedSearchAttributes: [
      { key: searchAttributes.workspaceId, value: workspaceId },
      { key: searchAttributes.channel, value: channel },
      { key: searchAttributes.batchId, value: batchId },
    ],
    staticSummary: `${channel} · bulk`,
    priority: awaitedPriority(workspaceId),
  });
}

async function startMail(client: Client, mailId: string): Promise<void> {
  await client.workflow.start(workflowTypes.sendMail, mailStart(mailId));
}

/** Whether workers asked for tasks of each queue not long ago. */
async function isPolled({ workflowService, options: { namespace } }: Client, now: number): Promise<boolean> {
  const polled = Object.values(queues).map((queue) =>
    recentPollers(workflowService, namespace, queue, queue === queues.messages ? 'workflow' : 'activity', now),
  );
  return (await Promise.all(polled)).every((pollers) => pollers.length > 0);
}
