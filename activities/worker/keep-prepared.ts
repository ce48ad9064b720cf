/** Looks again and again whether the namespace still has what the service needs of it, for as long as a worker lives. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Connection, ScheduleClient } from '@temporalio/client';
import type { Config } from '../../models/settings/config.js';
import type { Logger } from '../../models/process/logger.js';
import { type Preparations, prepareTemporal, restorePreparations } from './prepare-temporal.js';

const everyMs = 20_000;
const deadlineMs = 10_000;

/**
 * Prepares the namespace, and keeps it prepared: when Temporal has lost its data, the schedule of the watcher is made anew within half a
 * minute of its return.
 * @returns what ends the looking
 * @throws when Temporal cannot be reached or prepared now
 */
export async function keepPrepared(
  config: Pick<Config, 'temporalServer' | 'temporalNamespace'>,
  logger: Logger,
): Promise<() => Promise<void>> {
  const { temporalServer, temporalNamespace: namespace } = config;
  const connection = await Connection.connect(temporalServer);
  const preparations = { connection, schedules: new ScheduleClient({ connection, namespace }), namespace, logger };
  await prepareTemporal(preparations);
  const end = new AbortController();
  const looking = look(preparations, end.signal);
  return async () => {
    end.abort();
    await looking;
    await connection.close();
  };
}

async function look(preparations: Preparations, signal: AbortSignal): Promise<void> {
  const { connection, namespace, logger } = preparations;
  for (;;) {
    await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) return;
    try {
      const isNew = await connection.withAbortSignal(signal, () =>
        connection.withDeadline(Date.now() + deadlineMs, () => restorePreparations(preparations)),
      );
      if (isNew)
        logger.error({ namespace }, 'Temporal had lost the schedule of the watcher, and so its data: everything open is driven on');
    } catch (err) {
      if (!signal.aborted) logger.error({ err, namespace }, 'could not see to the schedule of the watcher');
    }
  }
}
