/** Where callbacks put their reports: what comes at the same time is stored together, and the workflows it is for are woken. */
import type { Database } from '../../models/db/database.js';
import { Gather } from '../../models/flow/gather.js';
import type { Logger } from '../../models/process/logger.js';
import { recordReports, type Wake } from '../../models/operations/reports/record-reports.js';
import type { IncomingReport } from '../../models/rules/callbacks/callback.js';
import type { Temporal } from './temporal.js';

export interface ReportInbox {
  /** Resolves when the reports of one callback are stored. */
  store(reports: IncomingReport[]): Promise<void>;
}

const callbacksMost = 200;

export function createReportInbox({ db, logger, temporal }: { db: Database; logger: Logger; temporal: Temporal }): ReportInbox {
  // Providers post each report by itself, hundreds a second: one statement for all that came meanwhile.
  const gather = new Gather<IncomingReport[], PromiseSettledResult<Wake[]>>((callbacks) => storeAll(db, callbacks), {
    most: callbacksMost,
  });
  // The inbox is durable: nobody waits for a workflow to be woken, and one that cannot be woken now will be by the watcher.
  const wake = (due: Wake) =>
    temporal.wake(due).catch((err: unknown) => logger.warn({ err, workflow_id: due.workflowId }, 'workflow was not woken'));
  return {
    async store(reports) {
      if (reports.length === 0) return;
      const stored = await gather.add(reports);
      if (stored.status === 'rejected') throw stored.reason;
      for (const due of stored.value) void wake(due);
    },
  };
}

/** What became of each callback; the groups to wake are told with the first, whichever they are for. */
async function storeAll(db: Database, callbacks: IncomingReport[][]): Promise<PromiseSettledResult<Wake[]>[]> {
  const [all] = await Promise.allSettled([recordReports(db, callbacks.flat())]);
  // One of them may be to blame: each by itself, and what cannot be stored fails alone.
  if (all.status === 'rejected' && callbacks.length > 1) return Promise.allSettled(callbacks.map((reports) => recordReports(db, reports)));
  return callbacks.map((_callback, index) => (index === 0 || all.status === 'rejected' ? all : { status: 'fulfilled', value: [] }));
}
