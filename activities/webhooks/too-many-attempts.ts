import { ApplicationFailure } from '@temporalio/activity';

/** The workspace has reached its limit of attempts in progress. Temporal repeats the activity after this time. */
export const tooManyAttempts = (retryAfterMs: number): ApplicationFailure =>
  ApplicationFailure.create({
    type: 'TooManyAttempts',
    message: 'The workspace has too many attempts in progress',
    nextRetryDelay: retryAfterMs,
  });
