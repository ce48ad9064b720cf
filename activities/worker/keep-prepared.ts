/** Checks every 20 seconds that the namespace has the search attributes and the schedule that the service needs. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ScheduleClient } from '@temporalio/client';
import { readInstallation } from '../../models/startup/installation.js';
import type { Config } from '../../models/settings/config.js';
import type { Logger } from '../../models/process/logger.js';
import { connectToTemporal, explainTemporalError } from '../support/connect-temporal.js';
import { withSignalOf } from '../support/signal-of.js';
import { ForeignNamespaceError, type Preparations, prepareTemporal, restorePreparations } from './prepare-temporal.js';

const deadlineMs = 10_000;

const foreignText = 'the Temporal namespace belongs to another installation: the worker stops';
const unchecked = 'could not check the schedule of the watcher; next check in 20 seconds. Run the doctor if this repeats';

type Settings = Pick<Config, 'temporalServer' | 'temporalNamespace' | 'databaseUrl'>;

export interface Keeping {
  /** Resolves when the checks have ended: by `end`, or because another installation has the namespace. The worker must stop then. */
  ended: Promise<ForeignNamespaceError | undefined>;
  /** Ends the checks. @throws ForeignNamespaceError if another installation has the namespace */
  end(): Promise<void>;
}

/**
 * Prepares the namespace and keeps it prepared. If Temporal loses its data, the schedule of the watcher exists again half a minute after
 * Temporal is back.
 * @param everyMs time between two checks
 * @throws when Temporal cannot be reached or prepared now, or another installation has the namespace
 */
export async function keepPrepared(config: Settings, logger: Logger, everyMs = 20_000): Promise<Keeping> {
  const { temporalServer, temporalNamespace: namespace } = config;
  const connection = await connectToTemporal(temporalServer);
  const schedules = new ScheduleClient({ connection, namespace });
  const installation = await readInstallation(config).catch((err: unknown) => {
    logger.warn({ err }, 'the namespace of Temporal could not be compared with the database yet; it is compared when PostgreSQL responds');
    return null;
  });
  const preparations = { connection, schedules, namespace, installation, logger };
  await prepareTemporal(preparations).catch(async (error: unknown) => {
    await connection.close();
    throw explainTemporalError(temporalServer, error);
  });
  const ending = new AbortController();
  const ended = checkRegularly(preparations, config, { everyMs, signal: ending.signal });
  return {
    ended,
    end: async () => {
      ending.abort();
      const foreign = await ended;
      await connection.close();
      if (foreign !== undefined) throw foreign;
    },
  };
}

/** @returns the error when another installation has the namespace */
async function checkRegularly(
  preparations: Preparations,
  config: Settings,
  { everyMs, signal }: { everyMs: number; signal: AbortSignal },
): Promise<ForeignNamespaceError | undefined> {
  const { connection, namespace, logger } = preparations;
  for (;;) {
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return undefined;
    const installation = preparations.installation ?? (await readInstallation(config).catch(() => null)); // the start has logged why
    try {
      const isNew = await withSignalOf([signal], (checkSignal) =>
        connection.withAbortSignal(checkSignal, () =>
          connection.withDeadline(Date.now() + deadlineMs, () => restore(preparations, installation)),
        ),
      );
      if (isNew)
        logger.error({ namespace }, 'the watcher schedule was missing: Temporal has lost its data, and the watcher restarts all open work');
    } catch (err) {
      const isForeign = err instanceof ForeignNamespaceError;
      if (!signal.aborted) logger.error({ err, namespace }, isForeign ? foreignText : unchecked);
      if (isForeign) return err;
    }
  }
}

/**
 * PostgreSQL may not have answered when the worker started. Once it has, the schedule is named as at a start, but not at each check: workers of two
 * versions would change its interval in turns.
 */
async function restore(preparations: Preparations, installation: string | null): Promise<boolean> {
  if (preparations.installation === installation) return restorePreparations(preparations);
  const isNew = await prepareTemporal({ ...preparations, installation });
  preparations.installation = installation;
  return isNew;
}
