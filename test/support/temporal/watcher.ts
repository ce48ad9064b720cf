/** Runs the watcher on demand. */
import { ScheduleClient } from '@temporalio/client';
import type { Database } from '../../../models/db/database.js';
import { workflowIds } from '../../../workflows/contract.js';
import { rows } from '../database.js';
import type { TestTemporal } from './temporal.js';

/** Makes all open rows due for the watcher. */
export async function makeOpenRowsDue(db: Database): Promise<void> {
  for (const table of ['message_groups', 'batches', 'mails']) await rows(db, `UPDATE ${table} SET look_at = now() - interval '1 second'`);
}

/** Runs the watcher now, or after the current run. All open rows are due in this run. */
export async function watch({ db, temporal }: { db: Database; temporal: TestTemporal }): Promise<void> {
  const { connection, namespace } = temporal;
  await makeOpenRowsDue(db);
  await new ScheduleClient({ connection, namespace }).getHandle(workflowIds.watcher).trigger('BUFFER_ONE');
}
