import { ApplicationFailure } from '@temporalio/activity';

/** Why an activity makes no attempt now. An operator reads it in the Temporal Web UI. */
const reasons = {
  TooManyAttempts: 'The workspace has too many attempts in progress',
  RateReached: 'The next turn of the webhook is too far ahead',
  WebhookChanged: 'The webhook was changed before the attempt',
  ReplayWaits: 'The receiver has asked to wait (Retry-After)',
} as const;

/** Makes no attempt now. Temporal repeats the activity after this time. */
export const attemptLater = (type: keyof typeof reasons, retryAfterMs: number): ApplicationFailure =>
  ApplicationFailure.create({ type, message: reasons[type], nextRetryDelay: Math.ceil(retryAfterMs) });
