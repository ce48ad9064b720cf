import { DefaultLogger, makeTelemetryFilterString, type TelemetryOptions } from '@temporalio/worker';
import type { Logger } from '../../models/process/logger.js';

/** The SDK says this of every worker that runs activities only, which most of ours are meant to do. */
const activitiesOnly = 'No workflows registered, not polling for workflow tasks';

/**
 * The native part of the SDK logs through the logger of its runtime, not by lines of its own. While Temporal is away, each of its polls would
 * log each of its retries. Our own checks log the outage once.
 */
export const nativeLogging: NonNullable<TelemetryOptions['logging']> = {
  forward: {},
  filter: `${makeTelemetryFilterString({ core: 'WARN', other: 'ERROR' })},temporalio_client::retry=ERROR`,
};

/** The logger of the Temporal SDK: its warnings and errors as lines of ours, with one level each. */
export const sdkLogger = (logger: Pick<Logger, 'warn' | 'error'>): DefaultLogger =>
  new DefaultLogger('WARN', ({ level, message, meta }) => {
    if (message === activitiesOnly) return;
    const fields = { ...meta };
    if (level === 'ERROR') logger.error(fields, message);
    else logger.warn(fields, message);
  });
