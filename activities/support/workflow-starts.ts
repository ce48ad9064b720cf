/** Calls to Temporal that start missing workflows and signal running ones. Starting a workflow that already runs changes nothing. */
import { type Client, isGrpcServiceError, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import type { DrivableGroup } from '../../models/operations/watch/due-groups.js';
import type { NextFallback } from '../../models/operations/messages/fall-back.js';
import type { Wake } from '../../models/operations/reports/record-reports.js';
import { grpcStatus } from '../../models/network/grpc-status.js';
import {
  batchChangedSignal,
  cancelledSignal,
  queues,
  reportsSignal,
  workflowIds,
  workflowOf,
  workflowTypes,
} from '../../workflows/contract.js';
import {
  bulkPriority,
  deliveryPriority,
  groupStart,
  lateReportsSignal,
  lateReportsStart,
  mailStart,
  nextStepStart,
  type ReplayRequest,
  replayStart,
  retrierSignal,
} from '../../workflows/starts.js';

/** Each call ends or fails within five seconds. */
export interface WorkflowStarts {
  /** Starts the workflow of a group of messages. @returns false when it runs already */
  startGroup(group: DrivableGroup): Promise<boolean>;
  /** Whether a workflow of this id is open. */
  isRunning(workflowId: string): Promise<boolean>;
  /** Signals the workflow of a group, if it runs, that a message was cancelled. */
  notifyCancelled(workflowId: string): Promise<void>;
  /** Signals the workflow of a page, if it runs, that its batch was resumed or cancelled. */
  notifyPage(workflowId: string): Promise<void>;
  /** Starts the workflow that queries overdue reports of a group and then gives up on them. @returns false when it runs already */
  giveUpOnReports(groupId: string): Promise<boolean>;
  /** Signals the workflow of a group to apply its reports, or starts one for late reports if it has closed. */
  wakeGroup(wake: Wake): Promise<void>;
  /** Starts the workflow of the next step of a chain. @returns false when it runs already */
  startNextStep(step: NextFallback, before: string): Promise<boolean>;
  /** Signals the retrier of a webhook, or starts it. */
  wakeRetrier(webhookId: string, workspaceId?: string): Promise<void>;
  /** Starts the workflow that sends a mail. @returns false when it runs already */
  startMail(mailId: string): Promise<boolean>;
  /** Starts the workflow of a replay. @returns false when it runs already */
  startReplay(request: ReplayRequest): Promise<boolean>;
}

const deadlineMs = 5_000;

export function workflowStarts(client: Client): WorkflowStarts {
  const taskQueue = queues.messages;
  const inTime = <T>(call: () => Promise<T>) => client.withDeadline(Date.now() + deadlineMs, call);
  const start = (type: string, options: Parameters<typeof client.workflow.start>[1]) =>
    inTime(() => startUnlessRunning(client, type, options));
  const signal = (workflowId: string, name: string) => inTime(() => signalIfRunning(client, workflowId, name));

  return {
    startGroup: (group) => {
      const { type, options } = groupStart(group, asRepaired(group));
      return start(type, options);
    },
    isRunning: (workflowId) => inTime(() => isRunning(client, workflowId)),
    async notifyCancelled(workflowId) {
      await signal(workflowId, cancelledSignal);
    },
    async notifyPage(workflowId) {
      await signal(workflowId, batchChangedSignal);
    },
    giveUpOnReports: (groupId) => start(workflowTypes.applyLateReports, lateReportsStart({ groupId, isOver: true })),
    async wakeGroup({ groupId, workflowId, late }) {
      if (!late && (await signal(workflowId, reportsSignal))) return;
      await inTime(() => client.workflow.signalWithStart(workflowTypes.applyLateReports, lateReportsSignal(groupId)));
    },
    startNextStep: (step, before) => {
      const { type, args } = workflowOf({ ...step, workflowId: workflowIds.message(step.groupId) });
      return start(type, { taskQueue, args, ...nextStepStart(step, before) });
    },
    async wakeRetrier(webhookId, workspaceId) {
      await inTime(() => client.workflow.signalWithStart(workflowTypes.retryWebhook, retrierSignal(webhookId, workspaceId)));
    },
    startMail: (mailId) => start(workflowTypes.sendMail, mailStart(mailId)),
    startReplay: (request) => start(workflowTypes.replayDeliveries, replayStart(request)),
  };
}

/** @returns false when it runs already */
async function startUnlessRunning(client: Client, type: string, options: Parameters<typeof client.workflow.start>[1]): Promise<boolean> {
  try {
    await client.workflow.start(type, options);
    return true;
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return false;
    throw error;
  }
}

/** Cheaper than the client's own `describe`. */
async function isRunning({ workflowService, options: { namespace } }: Client, workflowId: string): Promise<boolean> {
  try {
    const { workflowExecutionInfo } = await workflowService.describeWorkflowExecution({ namespace, execution: { workflowId } });
    return workflowExecutionInfo?.closeTime === null || workflowExecutionInfo?.closeTime === undefined;
  } catch (error) {
    if (isGrpcServiceError(error) && (error.code as number) === grpcStatus.notFound) return false;
    throw error;
  }
}

/** @returns false when no such workflow is open */
async function signalIfRunning(client: Client, workflowId: string, signal: string): Promise<boolean> {
  try {
    await client.workflow.getHandle(workflowId).signal(signal);
    return true;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return false;
    throw error;
  }
}

const asRepaired = ({ batchId, channel }: DrivableGroup) => ({
  staticSummary: batchId === null ? `${channel} · restarted by the watcher` : `${channel} · page, restarted by the watcher`,
  priority: batchId === null ? deliveryPriority : bulkPriority,
});
