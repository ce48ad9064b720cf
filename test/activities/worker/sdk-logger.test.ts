import assert from 'node:assert/strict';
import { sdkLogger } from '../../../activities/worker/sdk-logger.js';

describe('the logger of the Temporal SDK', () => {
  let lines: unknown[];
  beforeEach(() => void (lines = []));
  const into = (level: string) => (fields: unknown, message?: unknown) => void lines.push([level, fields, message]);
  const logger = sdkLogger({ warn: into('warn'), error: into('error') } as Parameters<typeof sdkLogger>[0]);

  it('the logger of the SDK writes warnings and errors with their level, and leaves out what is normal', () => {
    logger.info('started');
    logger.warn('No workflows registered, not polling for workflow tasks', { taskQueue: 'webhooks' });
    logger.warn('slow', { taskQueue: 'webhooks' });
    logger.error('gone');
    assert.deepEqual(lines, [
      ['warn', { taskQueue: 'webhooks' }, 'slow'],
      ['error', {}, 'gone'],
    ]);
  });

  it('the logger of the SDK leaves out the token with which a task is completed', () => {
    const error = new Error('refused');
    logger.warn('Activity failed', { error, taskToken: 'CiQwMTk4', activityType: 'send' });
    logger.error('Error while processing a task', { taskToken: 'CiQwMTk4' });
    assert.deepEqual(lines, [
      ['warn', { err: error, activityType: 'send' }, 'Activity failed'],
      ['error', {}, 'Error while processing a task'],
    ]);
  });

  it('the logger of the SDK passes an error on to the serializer of errors, which prints no data of users', () => {
    const error = Object.assign(new Error('refused'), { rejected: ['ada@example.com'] });
    logger.warn('Activity failed', { error, durationMs: 3 });
    assert.deepEqual(lines, [['warn', { err: error, durationMs: 3 }, 'Activity failed']]);
  });
});
