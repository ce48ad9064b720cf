/** Checks every 20 seconds that the namespace has the search attributes and the schedule that the service needs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ScheduleClient } from '@temporalio/client';
import { readInstallation } from '../../models/installation.js';
import type { Config } from '../../models/settings/config.js';
import type { Logger } from '../../models/process/logger.js';
import { connectToTemporal, explainTemporalError } from '../support/connect-temporal.js';
import { withSignalOf } from '../support/signal-of.js';
import { ForeignNamespaceError, type Preparations, prepareTemporal, restorePreparations } from './prepare-temporal.js';

const everyMs = 20_000;
const deadlineMs = 10_000;

/**
 * Prepares the namespace and keeps it prepared. If Temporal loses its data, the schedule of the watcher exists again half a minute after
 * Temporal is back.
 * @returns a function that ends the checks
 * @throws when Temporal cannot be reached or prepared now, or another installation has the namespace
 */
export async function keepPrepared(
  config: Pick<Config, 'temporalServer' | 'temporalNamespace' | 'databaseUrl'>,
  logger: Logger,
): Promise<() => Promise<void>> {
  const { temporalServer, temporalNamespace: namespace } = config;
  const connection = await connectToTemporal(temporalServer);
  const schedules = new ScheduleClient({ connection, namespace });
  const preparations = { connection, schedules, namespace, installation: await readInstallation(config, logger), logger };
  await prepareTemporal(preparations).catch(async (error: unknown) => {
    await connection.close();
    throw explainTemporalError(temporalServer, error);
  });
  const end = new AbortController();
  const checking = checkRegularly(preparations, end.signal);
  return async () => {
    end.abort();
    await checking;
    await connection.close();
  };
}

async function checkRegularly(preparations: Preparations, signal: AbortSignal): Promise<void> {
  const { connection, namespace, logger } = preparations;
  for (;;) {
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      const isNew = await withSignalOf([signal], (checkSignal) =>
        connection.withAbortSignal(checkSignal, () =>
          connection.withDeadline(Date.now() + deadlineMs, () => restorePreparations(preparations)),
        ),
      );
      if (isNew)
        logger.error(
          { namespace },
          'The schedule of the watcher was missing, so Temporal has lost its data. The watcher restarts all open work',
        );
    } catch (err) {
      const isForeign = err instanceof ForeignNamespaceError;
      if (!signal.aborted) logger.error({ err, namespace }, isForeign ? err.message : 'could not check the schedule of the watcher');
    }
  }
}
