/**
 * What other folders may know of the workflows: queues, ids, names and inputs. Imports only types, so that the API process does not load the
 * workflow library. Workflows carry ids, never texts, phone numbers or secrets.
 */
import type { BatchAcceptance } from '../models/operations/batches/accept-batch.js';
import type { Acceptance } from '../models/operations/messages/accept-messages.js';

/** Task queues. All workflows run on `messages`. Each other queue runs one kind of activity in its own slots, so that no kind delays another. */
export const queues = {
  /** all workflows, the activities of single messages, and of late reports (`applyLateReports`), which are few */
  messages: 'messages',
  /** activities of pages while their workflow runs, so that a large batch delays no single message */
  bulk: 'bulk',
  /** retries of webhook deliveries, so that only these slots wait for endpoints that hang, and the thread of batches does their work */
  webhooks: 'webhooks',
  /** account mails, status queries after a restore */
  background: 'background',
  /** the watcher, which never waits behind a mail */
  watcher: 'watcher',
} as const;

export const workflowIds = {
  /** Drives the group of a message: a single message, single messages that were accepted together, or a page of a batch. */
  group: ({ id, group_id, batch_id }: { id: string; group_id: string; batch_id: string | null }): string => {
    if (batch_id !== null) return workflowIds.page(group_id);
    return id === group_id ? workflowIds.message(id) : workflowIds.shared(group_id);
  },
  /** drives single messages that share a group */
  shared: (groupId: string) => `grp:${groupId}`,
  /** drives a single message: a group of one */
  message: (messageId: string) => `msg:${messageId}`,
  /** drives a bulk batch page by page */
  batch: (batchId: string) => `batch:${batchId}`,
  /** drives one page of a batch */
  page: (groupId: string) => `page:${groupId}`,
  /** applies reports that came after their group's workflow had closed */
  lateReports: (groupId: string) => `late:${groupId}`,
  /** repeats deliveries that the webhook did not acknowledge */
  retrier: (webhookId: string) => `retrier:${webhookId}`,
  /** delivers one event to one webhook (WEBHOOK_FIRST_ATTEMPT=child) */
  delivery: (deliveryId: string) => `wh:${deliveryId}`,
  /** starts many workflows of deliveries, or retriers; its id is that of the first one, or a random one if that is in use */
  starts: (id: string) => `starts:${id}`,
  /** makes one attempt of a delivery that a user requested */
  attempt: (deliveryId: string) => `attempt:${deliveryId}`,
  replay: (replayId: string) => `replay:${replayId}`,
  mail: (mailId: string) => `mail:${mailId}`,
  /** queries the providers for messages of a restored database */
  recovery: (recoveryId: string) => `recovery:${recoveryId}`,
  watcher: 'watcher',
} as const;

export const workflowTypes = {
  sendMessage: 'sendMessage',
  sendGroup: 'sendGroup',
  sendBatch: 'sendBatch',
  applyLateReports: 'applyLateReports',
  retryWebhook: 'retryWebhook',
  deliverWebhook: 'deliverWebhook',
  startDeliveries: 'startDeliveries',
  attemptDelivery: 'attemptDelivery',
  replayDeliveries: 'replayDeliveries',
  sendMail: 'sendMail',
  askRestored: 'askRestored',
  runWatcher: 'runWatcher',
} as const;

/** Update of `sendMessage`, `sendGroup` and `sendBatch`: answers when the debit is decided. Its update id is always `accept`. */
export const acceptUpdate = 'accept';
/** Signal of `sendMessage`, `sendGroup` and `applyLateReports`: the inbox has reports for the group. */
export const reportsSignal = 'reportsArrived';
/** Signal of `sendMessage` and `sendGroup`: a message was cancelled. There are events to deliver, and perhaps nothing left to wait for. */
export const cancelledSignal = 'messageCancelled';
/** Signal of `sendGroup` for a page: its batch was resumed or cancelled. */
export const batchChangedSignal = 'batchChanged';
/** Signal of `retryWebhook`: a delivery is due. */
export const dueSignal = 'deliveriesDue';

/** Header of a workflow and of its activities: their place in a trace, as in the HTTP header. Absent if the trace is not recorded. */
export const traceHeader = 'traceparent';

/** Search attributes, set at start only. Written out as typed keys of the SDK, because this file imports only types. */
export const searchAttributes = {
  workspaceId: { name: 'WorkspaceId', type: 'KEYWORD' },
  channel: { name: 'Channel', type: 'KEYWORD' },
  batchId: { name: 'BatchId', type: 'KEYWORD' },
  messageIds: { name: 'MessageIds', type: 'KEYWORD_LIST' },
} as const;

export interface SendMessageInput {
  messageId: string;
  /** Set for a message with a fallback: the time within which it must be delivered, counted from when it is due. */
  fallbackAfterMs?: number;
}

export interface SendGroupInput {
  groupId: string;
  /** Set for a page of a batch: its messages are charged already. */
  batchId?: string;
  /** Set for a page that is due when it starts. Its hand-off opens it. */
  due?: DuePage;
}

/** The times of a page that is due. */
export type DuePage = { handoffTimeoutMs: number; reportTimeoutMs: number };

/** A group as the rows have it. */
export interface StoredGroup {
  groupId: string;
  workflowId: string;
  batchId?: string | null;
  fallbackAfterMs?: number | null | undefined;
}

/** The type and the input of the workflow that drives a group. The group of a single message has the message's id. */
export function workflowOf({ groupId, workflowId, batchId = null, fallbackAfterMs = null }: StoredGroup) {
  if (workflowId !== workflowIds.message(groupId)) {
    const input: SendGroupInput = { groupId, ...(batchId === null ? {} : { batchId }) };
    return { type: workflowTypes.sendGroup, args: [input] as [SendGroupInput] };
  }
  const input: SendMessageInput = { messageId: groupId, ...(fallbackAfterMs === null ? {} : { fallbackAfterMs }) };
  return { type: workflowTypes.sendMessage, args: [input] as [SendMessageInput] };
}

export interface SendBatchInput {
  batchId: string;
  /** The first page that is not started yet; absent at the beginning. */
  nextPage?: number;
  due?: DuePage;
}

/** The answer of `accept` of a batch: whether its price was debited. A batch that was not debited is deleted. */
export type AcceptBatchAnswer = Pick<BatchAcceptance, 'accepted' | 'refused'>;

/** The answer of `accept`: the messages that were debited. The others of the group were refused and deleted. */
export interface AcceptAnswer extends Pick<Acceptance, 'accepted'> {
  refused?: Acceptance['refused'] | undefined;
}

export interface LateReportsInput {
  groupId: string;
  /** For some messages the time for reports is over: query their providers once more, then give up on their reports. */
  isOver?: boolean;
}

export interface DeliverWebhookInput {
  webhookId: string;
  deliveryIds: string[];
}

export type RetryWebhookInput = Pick<DeliverWebhookInput, 'webhookId'>;

/** Workflows to start after the first attempts of a group: one for each child, and retriers by webhook id. */
export interface LeftDeliveries {
  children: DeliverWebhookInput[];
  retriers: string[];
  /** The workspace of each webhook. */
  workspaces?: Record<string, string>;
  /** More deliveries are due: one round does not take all, or some were written while it ran. */
  more?: boolean;
}

/** An attempt that is not part of a retry schedule. */
export interface AttemptInput {
  deliveryId: string;
  trigger: 'manual' | 'test';
}

/** Deliveries of a webhook in these statuses, created in this period (ISO 8601, both ends included). */
export interface ReplayInput {
  replayId: string;
  webhookId: string;
  since: string;
  until: string;
  /** `failed` and `held` go together; `succeeded` and `pending` each alone. */
  statuses: readonly ('pending' | 'succeeded' | 'failed' | 'held')[];
  /** The last delivery that was replayed; absent at the beginning. */
  after?: string;
}

/** The next deliveries of a replay, oldest first. */
export interface ReplayList {
  deliveryIds: string[];
  /** These are the last ones. */
  isLast: boolean;
}

export interface ReplayPageInput extends Pick<ReplayInput, 'replayId' | 'webhookId' | 'statuses'>, ReplayList {}

export interface ReplayPageResult {
  /** The webhook, when its retrier has to repeat deliveries that failed. */
  retriers: string[];
  /** False when the replay has ended. */
  goesOn: boolean;
}

export type AskRestoredInput = { recoveryId: string };

export type SendMailInput = { mailId: string };
