/** Stores the delivery reports of callbacks. Reports that arrive at the same time are stored together. Then the workflows of their messages are signalled. */
import { apiMetrics } from '../../models/metrics/catalogue.js';
import type { Config } from '../../models/settings/config.js';
import type { Database } from '../../models/db/database.js';
import { BatchQueue } from '../../models/flow/batch-queue.js';
import { isDataError } from '../../models/db/sql-state.js';
import type { Logger } from '../../models/process/logger.js';
import { erasureKey } from '../../models/operations/erasure/erasure-key.js';
import { recordReports, type Wake } from '../../models/operations/reports/record-reports.js';
import type { IncomingReport } from '../../models/rules/callbacks/callback.js';
import type { Temporal } from './temporal.js';

export interface ReportInbox {
  /** Resolves when the reports of one callback are stored. */
  store(reports: IncomingReport[]): Promise<void>;
}

const callbacksPerBatch = 200;
/** Reports that take longer to store wait for the lock of a group, or for an answer that was lost. Those of other callbacks do not wait for them. */
const slowAfterMs = 2_000;

interface InboxDeps {
  db: Database;
  config: Pick<Config, 'secretKeys'>;
  logger: Logger;
  temporal: Temporal;
}

export function createReportInbox({ db, config, logger, temporal }: InboxDeps): ReportInbox {
  // Providers post hundreds of reports a second, one per request. One statement stores all that arrived during the previous one.
  const queue = new BatchQueue<IncomingReport[], PromiseSettledResult<Wake[]>>(
    async (callbacks) => storeAll(db, callbacks, await erasureKey(db, config.secretKeys)),
    { maxBatchSize: callbacksPerBatch, slowAfterMs },
  );
  // The reports are stored durably, so the callback does not wait for the signal. If the signal fails, the watcher sends it later.
  const wake = (due: Wake) =>
    temporal
      .wake(due)
      .catch((err: unknown) => logger.warn({ err, workflow_id: due.workflowId }, 'the workflow was not signalled; the watcher will do it'));
  return {
    async store(reports) {
      if (reports.length === 0) return;
      // Only here: the answer to a query does not show that the carrier sends reports.
      for (const { provider: account, status, isOnlyTaken } of reports)
        if (isOnlyTaken !== true) apiMetrics.reports.inc({ account, status });
      const stored = await queue.add(reports);
      if (stored.status === 'rejected') throw stored.reason;
      for (const due of stored.value) void wake(due);
    },
  };
}

/** The outcome of each callback. The first outcome contains the workflows to signal for all callbacks. */
async function storeAll(db: Database, callbacks: IncomingReport[][], key: Buffer): Promise<PromiseSettledResult<Wake[]>[]> {
  const [all] = await Promise.allSettled([recordReports(db, callbacks.flat(), key)]);
  // The database refused a value in at least one report. Each callback is stored alone then, so that only bad ones fail. After any other failure
  // all fail: a statement for each would add to the load.
  if (all.status === 'rejected' && callbacks.length > 1 && isDataError(all.reason))
    return Promise.allSettled(callbacks.map((reports) => recordReports(db, reports, key)));
  return callbacks.map((_callback, index) => (index === 0 || all.status === 'rejected' ? all : { status: 'fulfilled', value: [] }));
}
