/**
 * What other rooms may know of the workflows: queues, ids, names and inputs. Imports nothing, so that the API process does not load the
 * workflow library. Workflows carry ids, never texts, phone numbers or secrets.
 */

/** Task queues. All workflows run on `messages`. Each other queue runs one kind of activity in its own slots, so that no kind delays another. */
export const queues = {
  /** all workflows, and the activities of the message's way */
  messages: 'messages',
  /** the activities of bulk pages: a batch of ten thousand delays no single message */
  bulk: 'bulk',
  /** retries of webhook deliveries: hanging endpoints fill these slots and no others */
  webhooks: 'webhooks',
  /** mails */
  background: 'background',
  /** the watcher: mails that wait for their server never hold it up */
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
  /** attempts what was not acknowledged at once by this webhook */
  carrier: (webhookId: string) => `carrier:${webhookId}`,
  /** delivers one event to one webhook, where the operator wants a workflow for each */
  deliveries: (deliveryId: string) => `wh:${deliveryId}`,
  /** starts the workflows of many deliveries, or carriers; named after the first */
  starts: (id: string) => `starts:${id}`,
  /** makes one attempt of a delivery that somebody asked for */
  attempt: (deliveryId: string) => `attempt:${deliveryId}`,
  replay: (replayId: string) => `replay:${replayId}`,
  mail: (mailId: string) => `mail:${mailId}`,
  /** asks the providers for what a restored database holds as handed off */
  recovery: (recoveryId: string) => `recovery:${recoveryId}`,
  maintain: 'maintain',
} as const;

export const workflowTypes = {
  sendMessage: 'sendMessage',
  sendGroup: 'sendGroup',
  sendBatch: 'sendBatch',
  applyLateReports: 'applyLateReports',
  carryWebhook: 'carryWebhook',
  deliverWebhook: 'deliverWebhook',
  startDeliveries: 'startDeliveries',
  attemptDelivery: 'attemptDelivery',
  replayDeliveries: 'replayDeliveries',
  sendMail: 'sendMail',
  askRestored: 'askRestored',
  maintain: 'maintain',
} as const;

/** Update of `sendMessage`, `sendGroup` and `sendBatch`: answers when the debit is decided. Its update id is always `accept`. */
export const acceptUpdate = 'accept';
/** Signal of `sendMessage`, `sendGroup` and `applyLateReports`: the inbox holds reports for the group. */
export const reportsSignal = 'reportsArrived';
/** Signal of `sendMessage` and `sendGroup`: a message was cancelled. There are events to deliver, and perhaps nothing left to wait for. */
export const cancelledSignal = 'messageCancelled';

/** Signal of `sendGroup` for a page: its batch was resumed or cancelled. */
export const batchChangedSignal = 'batchChanged';

/** Signal of `carryWebhook`: something is due. */
export const dueSignal = 'deliveriesDue';

/** Search attributes, given at start only: the SDK's typed keys, written out because nothing is imported here. */
export const searchAttributes = {
  workspaceId: { name: 'WorkspaceId', type: 'KEYWORD' },
  channel: { name: 'Channel', type: 'KEYWORD' },
  batchId: { name: 'BatchId', type: 'KEYWORD' },
  messageIds: { name: 'MessageIds', type: 'KEYWORD_LIST' },
} as const;

export interface SendMessageInput {
  messageId: string;
  /** Set for a message with a fallback: the time that it has to be delivered, from when it is due. */
  fallbackAfterMs?: number;
}

export interface SendGroupInput {
  groupId: string;
  /** Set for a page of a batch: its messages are charged already. */
  batchId?: string;
}

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
  /** First page that was not started yet; absent at the beginning. */
  nextPage?: number;
}

/** The answer of `accept` of a batch: whether its sum was debited. When not, nothing of it is left. */
export interface AcceptBatchAnswer {
  accepted: boolean;
}

/** The answer of `accept`: the messages whose credits were debited. The others of the group were refused and are gone. */
export interface AcceptAnswer {
  accepted: string[];
}

export interface LateReportsInput {
  groupId: string;
  /** The time to wait for reports is over: the providers are asked once more, and what nobody reported is given up. */
  isOver?: boolean;
}

export interface DeliverWebhookInput {
  webhookId: string;
  deliveryIds: string[];
}

export interface CarryWebhookInput {
  webhookId: string;
}

/** What has to be started after the first attempts of a group: child workflows, and the carriers of webhooks. */
export interface LeftDeliveries {
  children: DeliverWebhookInput[];
  carriers: string[];
  /** Whose these webhooks are. */
  workspaces?: Record<string, string>;
  /** There is more than one round takes. */
  more?: boolean;
}

/** Attempts that no ladder makes. */
export interface AttemptInput {
  deliveryId: string;
  trigger: 'manual' | 'test';
}

/** Deliveries of a webhook that were created in this time (ISO 8601), both ends included, and are in one of these statuses. */
export interface ReplayInput {
  replayId: string;
  webhookId: string;
  since: string;
  until: string;
  /** `failed` and `held` go together; `succeeded` and `pending` each alone. */
  statuses: readonly ('pending' | 'succeeded' | 'failed' | 'held')[];
  /** The last delivery that is done; absent at the beginning. */
  after?: string;
}

/** The next deliveries of a replay, oldest first. */
export interface ReplayList {
  deliveryIds: string[];
  /** Nothing comes after them. */
  isLast: boolean;
}

export interface ReplayPageInput extends Pick<ReplayInput, 'replayId' | 'webhookId' | 'statuses'>, ReplayList {}

export interface ReplayPageResult {
  /** The webhook, where its carrier has to be woken for what failed and has a ladder. */
  carriers: string[];
  /** False when the replay has ended. */
  goesOn: boolean;
}

export interface AskRestoredInput {
  recoveryId: string;
}

export interface SendMailInput {
  mailId: string;
}
