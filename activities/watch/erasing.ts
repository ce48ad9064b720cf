/** The watcher's step for erasures of recipients. */
import type { Config } from '../../models/settings/config.js';
import type { Database } from '../../models/db/database.js';
import type { Logger } from '../../models/process/logger.js';
import { erasureKey } from '../../models/operations/erasure/erasure-key.js';
import { runErasures } from '../../models/operations/erasure/run-erasures.js';
import { eachOf } from './repair-pages.js';
import type { WorkflowStarts } from '../support/workflow-starts.js';

interface ErasingDeps {
  db: Database;
  config: Pick<Config, 'secretKeys'>;
  logger: Logger;
  starts: Pick<WorkflowStarts, 'notifyCancelled'>;
}

/** Runs in parallel to the repairs. Below the time between two runs. */
const sliceMs = 20_000;

export function erasingActivities({ db, config, logger, starts }: ErasingDeps) {
  const signal = async (workflowIds: readonly string[]) => {
    // Without the signal the watcher delivers the events later. The erasures of others must not wait for it.
    const failure = { text: 'could not signal workflows; the watcher delivers the events later', what: 'workflows of cancelled messages' };
    await eachOf(logger, failure, workflowIds, starts.notifyCancelled).catch((err: unknown) =>
      logger.warn({ err, what: failure.what }, failure.text),
    );
  };
  return {
    /**
     * Runs the erasures of recipients, until the time is up. The workflows of cancelled messages are signalled to deliver the events. An erasure
     * that fails is logged and tried again in the next run. The others do not wait for it.
     * @throws the first error at the end, so that the operator is alerted
     */
    async eraseRecipients(): Promise<void> {
      let failure: { err: unknown } | undefined;
      const onFailed = (id: string, err: unknown) => {
        failure ??= { err };
        logger.error({ err, erasure_id: id }, 'could not erase a recipient; the next watcher run tries again');
      };
      const key = await erasureKey(db, config.secretKeys);
      const completed = await runErasures(db, key, Date.now() + sliceMs, { onCancelled: signal, onFailed });
      if (completed > 0) logger.info({ completed }, 'erased recipients');
      if (failure !== undefined) throw failure.err;
    },
  };
}
