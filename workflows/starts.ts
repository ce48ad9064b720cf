/** How workflows start that the API, the watcher and other workflows start. Imports the contract only. */
import type { Channel } from '../models/channels.js';
import type { NextFallback } from '../models/operations/messages/fall-back.js';
import {
  dueSignal,
  type LateReportsInput,
  queues,
  type ReplayInput,
  reportsSignal,
  type RetryWebhookInput,
  searchAttributes,
  type SendMailInput,
  type StoredGroup,
  workflowIds,
  workflowOf,
} from './contract.js';

const taskQueue = queues.messages;

/** A group with the values of its search attributes. */
interface StartedGroup extends StoredGroup {
  channel: Channel;
  /** Null if the messages belong to several workspaces. */
  workspaceId: string | null;
  /** The messages that share the group; empty for a single message and for a page. */
  messageIds: readonly string[];
}

interface StartOptions {
  staticSummary: string;
  priority: typeof awaitedPriority;
}

/**
 * For a client: the workflow of a group. Its search attributes name workspace, channel, batch and messages, because operators must not see
 * recipients or texts in Temporal. Message ids are cut to their random end, because a search attribute can have at most 2 kB.
 * @param priority one of those below
 */
export function groupStart(group: StartedGroup, { staticSummary, priority }: StartOptions) {
  const { workflowId, channel, workspaceId, batchId = null, messageIds } = group;
  const { type, args } = workflowOf(group);
  const options = {
    taskQueue,
    workflowId,
    args,
    typedSearchAttributes: [
      { key: searchAttributes.channel, value: channel },
      ...(workspaceId === null ? [] : [{ key: searchAttributes.workspaceId, value: workspaceId }]),
      ...(batchId === null ? [] : [{ key: searchAttributes.batchId, value: batchId }]),
      ...(messageIds.length === 0 ? [] : [{ key: searchAttributes.messageIds, value: messageIds.map((id) => id.slice(-12)) }]),
    ],
    staticSummary,
    priority: priority(workspaceId ?? undefined),
  };
  return { type, options };
}

/** Workspaces share each priority of the queue fairly. */
const priorityOf =
  (priorityKey: number) =>
  (workspaceId?: string): { priorityKey: number; fairnessKey?: string } => ({
    priorityKey,
    ...(workspaceId === undefined ? {} : { fairnessKey: workspaceId }),
  });

/** Of workflows whose first step a client waits for. */
export const awaitedPriority = priorityOf(2);
/** Of workflows for deliveries, and of single messages that the watcher starts again: new ones do not wait for them. */
export const deliveryPriority = priorityOf(3);
/** Of pages and replays: they have much work, and no client waits for it. */
export const bulkPriority = priorityOf(4);

/** For a workflow, which starts the retrier as a child. */
export const retrierStart = (webhookId: string, workspaceId: string | undefined) => ({
  workflowId: workflowIds.retrier(webhookId),
  staticSummary: `retries for webhook ${webhookId}`,
  priority: deliveryPriority(workspaceId),
});

/** For a client: signals that a delivery is due, and starts the retrier if none runs. */
export const retrierSignal = (webhookId: string, workspaceId: string | undefined) => ({
  ...retrierStart(webhookId, workspaceId),
  taskQueue,
  args: [{ webhookId }] as [RetryWebhookInput],
  signal: dueSignal,
});

/** For a workflow, which starts the next step of a fallback chain as a child. @param before the message before it */
export const nextStepStart = ({ groupId, workspaceId, channel }: NextFallback, before: string) => ({
  workflowId: workflowIds.message(groupId),
  staticSummary: `fallback of ${before}`,
  typedSearchAttributes: [
    { key: searchAttributes.workspaceId, value: workspaceId },
    { key: searchAttributes.channel, value: channel },
  ],
});

/** For a client: the workflow for reports of a group whose own workflow has closed. */
export const lateReportsStart = (input: LateReportsInput) => ({
  taskQueue,
  workflowId: workflowIds.lateReports(input.groupId),
  staticSummary: input.isOver === true ? `overdue reports of ${input.groupId}` : `late reports of ${input.groupId}`,
  args: [input] as [LateReportsInput],
});

/** For a client: signals the workflow of `lateReportsStart` that reports arrived, and starts it if none runs. */
export const lateReportsSignal = (groupId: string) => ({
  ...lateReportsStart({ groupId }),
  signal: reportsSignal,
  signalArgs: [] as [],
});

/** For a client. */
export const mailStart = (mailId: string) => ({
  taskQueue,
  workflowId: workflowIds.mail(mailId),
  args: [{ mailId }] as [SendMailInput],
  staticSummary: `account mail ${mailId}`,
});

export interface ReplayRequest extends ReplayInput {
  workspaceId: string;
}

/** For a client. Workspaces share the queue fairly. */
export const replayStart = ({ workspaceId, ...input }: ReplayRequest) => ({
  taskQueue,
  workflowId: workflowIds.replay(input.replayId),
  args: [input],
  typedSearchAttributes: [{ key: searchAttributes.workspaceId, value: workspaceId }],
  staticSummary: `replay to webhook ${input.webhookId}`,
  priority: bulkPriority(workspaceId),
});
