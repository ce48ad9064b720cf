/** Activities as in a thread that runs no others: what the activities of a thread share is new for each call. */
import { dispatcher, type MessageDeps, messageActivities as withHandOff } from '../../../activities/messages.js';
import { type AttemptDeps, Attempts } from '../../../activities/webhooks/attempts.js';
import { webhookOperationActivities as operationsWith } from '../../../activities/webhooks/webhook-operations.js';
import { type WebhookDeps, webhookActivities as webhooksWith } from '../../../activities/webhooks/webhooks.js';

export const messageActivities = (deps: MessageDeps) => withHandOff(deps, dispatcher(deps));

export const webhookActivities = (deps: WebhookDeps) => webhooksWith(deps, new Attempts(deps));

export const webhookOperationActivities = (deps: AttemptDeps) => operationsWith(deps, new Attempts(deps));
