import { DefaultLogger, makeTelemetryFilterString, type TelemetryOptions } from '@temporalio/worker';
import type { Logger } from '../../models/process/logger.js';

/** The SDK's warning about a worker that runs activities only. Most of our workers do so on purpose. */
const activitiesOnly = 'No workflows registered, not polling for workflow tasks';

/**
 * The native part of the SDK logs through the logger of its runtime and writes no lines of its own. Retries are not logged as warnings: while
 * Temporal is away, each poll retries again and again. Our own checks log the outage once.
 */
export const nativeLogging: NonNullable<TelemetryOptions['logging']> = {
  forward: {},
  filter: `${makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' })},temporalio_client::retry=ERROR`,
};

/**
 * The logger of the Temporal SDK: its warnings and errors as lines of ours, with one level each. The SDK passes the error of a failed activity as
 * `error`. Errors of libraries have recipients and rows in other fields, and only `err` has the serializer that leaves them out. Who has a
 * `taskToken` and access to Temporal can complete the task, so no line has it.
 */
export const sdkLogger = (logger: Pick<Logger, 'warn' | 'error'>): DefaultLogger =>
  new DefaultLogger('WARN', ({ level, message, meta }) => {
    if (message === activitiesOnly) return;
    const { error, taskToken: _token, ...others } = { ...meta };
    const fields = error === undefined ? others : { ...others, err: error as unknown };
    if (level === 'ERROR') logger.error(fields, message);
    else logger.warn(fields, message);
  });
