/** The API's view of Temporal: start, wake, ask. Connects at the first call and again whenever it must. */
import { Client, Connection, WithStartWorkflowOperation, WorkflowNotFoundError } from '@temporalio/client';
import type { Channel } from '../../models/channels.js';
import type { Config } from '../../models/settings/config.js';
import type { Wake } from '../../models/operations/reports/record-reports.js';
import { type AttemptRequest, type ReplayRequest, signalCarrier, startAttempt, startReplay } from './temporal-deliveries.js';
import {
  type AcceptAnswer,
  type AcceptBatchAnswer,
  acceptUpdate,
  batchChangedSignal,
  cancelledSignal,
  queues,
  reportsSignal,
  searchAttributes,
  type SendBatchInput,
  type SendGroupInput,
  type SendMessageInput,
  workflowIds,
  workflowOf,
  workflowTypes,
} from '../../workflows/contract.js';

/** A group of messages that waits for its debit. */
export interface AcceptRequest {
  groupId: string;
  workflowId: string;
  channel: Channel;
  messages: readonly { messageId: string; workspaceId: string }[];
  /** Of a single message with a fallback. */
  fallbackAfterMs?: number | undefined;
}

/** A batch that waits for its debit. */
export interface AcceptBatchRequest {
  batchId: string;
  workspaceId: string;
  channel: Channel;
}

export interface Temporal {
  /** Starts the group's workflow, or joins it, and waits for its decision on the debit. */
  accept(request: AcceptRequest): Promise<AcceptAnswer>;
  /** The same for a batch, all of whose messages are stored. */
  acceptBatch(request: AcceptBatchRequest): Promise<AcceptBatchAnswer>;
  /** Tells a group's workflow that its inbox holds reports; starts one when the group's own has closed. */
  wake(wake: Wake): Promise<void>;
  /** Tells a group's workflow that a message of it was cancelled. */
  notifyCancelled(workflowId: string): Promise<void>;
  /** Tells the workflows of a batch's pages that it was resumed or cancelled; rejects when one could not be told. */
  notifyPages(workflowIds: readonly string[]): Promise<void>;
  /** Starts an attempt of a delivery, or joins the one that is under way, and waits a moment for its outcome. */
  attempt(request: AttemptRequest): Promise<void>;
  /** Tells the carrier of a webhook, where there is one, that it need not wait any longer. */
  wakeCarrier(webhookId: string, workspaceId: string): Promise<void>;
  /** Starts a replay. */
  replay(request: ReplayRequest): Promise<void>;
  /** Starts the workflow that sends a mail of the outbox. */
  sendMail(mailId: string): Promise<void>;
  /** Whether a worker polls for messages. */
  hasWorker(): Promise<boolean>;
  close(): Promise<void>;
}

/** Longest wait of calls whose work the watcher repeats anyway. */
const hintTimeoutMs = 2000;
/** How long the answer to a resend or a test waits for what the receiver says. */
const outcomeTimeoutMs = 2000;
/** An idle poll lasts up to a minute; who polled longer ago is gone. */
const pollerAgeMsMax = 70_000;
/** The debit of a batch queues all its messages in the same transaction, which takes longer than one message. */
const batchPatience = 3;

export function connectTemporal({ temporalServer, temporalNamespace, acceptTimeoutMs }: Config): Temporal {
  const connection = Connection.lazy(temporalServer);
  const client = new Client({ connection, namespace: temporalNamespace });
  const hint = <T>(call: () => Promise<T>) => client.withDeadline(Date.now() + hintTimeoutMs, call);

  return {
    accept: (request) =>
      client.withDeadline(Date.now() + acceptTimeoutMs, () =>
        client.workflow.executeUpdateWithStart<SendWorkflow, AcceptAnswer, []>(acceptUpdate, {
          updateId: acceptUpdate,
          startWorkflowOperation: startOf(request),
        }),
      ),
    acceptBatch: (request) =>
      client.withDeadline(Date.now() + batchPatience * acceptTimeoutMs, () =>
        client.workflow.executeUpdateWithStart<(input: SendBatchInput) => Promise<void>, AcceptBatchAnswer, []>(acceptUpdate, {
          updateId: acceptUpdate,
          startWorkflowOperation: startOfBatch(request),
        }),
      ),
    wake: (wake) => hint(() => wakeGroup(client, wake)),
    notifyCancelled: (workflowId) => hint(() => client.workflow.getHandle(workflowId).signal(cancelledSignal)),
    notifyPages: (ids) => hint(() => notifyPages(client, ids)),
    async attempt(request) {
      const handle = await hint(() => startAttempt(client, request));
      await client.withDeadline(Date.now() + outcomeTimeoutMs, () => handle.result()).catch(() => undefined); // its outcome is in the log
    },
    wakeCarrier: (webhookId, workspaceId) => hint(() => signalCarrier(client, webhookId, workspaceId)),
    replay: (request) => hint(() => startReplay(client, request)),
    async sendMail(mailId) {
      const options = { taskQueue: queues.messages, workflowId: workflowIds.mail(mailId), args: [{ mailId }] };
      await hint(() => client.workflow.start(workflowTypes.sendMail, options));
    },
    async hasWorker() {
      const request = { namespace: temporalNamespace, taskQueue: { name: queues.messages }, taskQueueType: 1 /* workflow tasks */ };
      const { pollers } = await hint(() => connection.workflowService.describeTaskQueue(request));
      return (pollers ?? []).some(({ lastAccessTime }) => Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1000 < pollerAgeMsMax);
    },
    close: () => connection.close(),
  };
}

type SendWorkflow = (input: SendMessageInput | SendGroupInput) => Promise<void>;

/**
 * Workspace and channel are all that an operator sees of a message in Temporal: never a number, an address or a text. Messages that
 * share a workflow are found by their ids, too; each is cut to its random end, as an attribute holds 2 kB at most.
 */
function startOf({ groupId, workflowId, channel, messages, fallbackAfterMs }: AcceptRequest) {
  const workspaceIds = new Set(messages.map(({ workspaceId }) => workspaceId));
  const [workspaceId = ''] = workspaceIds.size === 1 ? workspaceIds : [];
  const isShared = messages.length > 1;
  const { type, args } = workflowOf({ groupId, workflowId, fallbackAfterMs });
  return new WithStartWorkflowOperation<SendWorkflow>(type, {
    taskQueue: queues.messages,
    workflowId,
    args,
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'REJECT_DUPLICATE',
    typedSearchAttributes: [
      ...(workspaceId === '' ? [] : [{ key: searchAttributes.workspaceId, value: workspaceId }]),
      { key: searchAttributes.channel, value: channel },
      ...(isShared ? [{ key: searchAttributes.messageIds, value: messages.map(({ messageId }) => messageId.slice(-12)) }] : []),
    ],
    staticSummary: isShared ? `${channel} · ${messages.length} singles` : `${channel} · single`,
    priority: { priorityKey: 2, ...(workspaceId === '' ? {} : { fairnessKey: workspaceId }) },
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
    priority: { priorityKey: 4, fairnessKey: workspaceId },
  });
}

/** Pages that have not begun or are over need not be told. */
async function notifyPages(client: Client, ids: readonly string[]): Promise<void> {
  const told = await Promise.allSettled(ids.map((id) => client.workflow.getHandle(id).signal(batchChangedSignal)));
  const failed = told.find((outcome) => outcome.status === 'rejected' && !(outcome.reason instanceof WorkflowNotFoundError));
  if (failed?.status === 'rejected') throw failed.reason;
}

async function wakeGroup(client: Client, { groupId, workflowId, late }: Wake): Promise<void> {
  if (!late) {
    try {
      return await client.workflow.getHandle(workflowId).signal(reportsSignal);
    } catch (error) {
      if (!(error instanceof WorkflowNotFoundError)) throw error; // else it has just closed
    }
  }
  await client.workflow.signalWithStart(workflowTypes.applyLateReports, {
    taskQueue: queues.messages,
    workflowId: workflowIds.lateReports(groupId),
    args: [{ groupId }],
    signal: reportsSignal,
    signalArgs: [],
  });
}
