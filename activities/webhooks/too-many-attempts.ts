import { ApplicationFailure } from '@temporalio/activity';

/** The workspace has reached its limit of attempts in progress. Temporal repeats the activity after this time. */
export const tooManyAttempts = (retryAfterMs: number): ApplicationFailure =>
  ApplicationFailure.create({
    type: 'TooManyAttempts',
    message: 'The workspace has too many attempts in progress',
    nextRetryDelay: retryAfterMs,
  });

/** The receiver has asked a replay to wait. Temporal repeats the activity after this time. */
export const replayWaits = (retryAfterMs: number): ApplicationFailure =>
  ApplicationFailure.create({
    type: 'ReplayWaits',
    message: 'The receiver has asked to wait (Retry-After)',
    nextRetryDelay: Math.ceil(retryAfterMs),
  });
