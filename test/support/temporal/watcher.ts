/** Rounds of the watcher, when a test wants one. */
import { ScheduleClient } from '@temporalio/client';
import type { Database } from '../../../models/db/database.js';
import { workflowIds } from '../../../workflows/contract.js';
import { rows } from '../database.js';
import type { TestTemporal } from './temporal.js';

/** Makes everything open due for a look of the watcher, as if its time had come. */
export async function makeDue(db: Database): Promise<void> {
  for (const table of ['message_groups', 'batches', 'mails']) await rows(db, `UPDATE ${table} SET look_at = now() - interval '1 second'`);
}

/** A round that begins now, or when the present one has ended; everything open is due for a look in it. */
export async function watch({ db, temporal }: { db: Database; temporal: TestTemporal }): Promise<void> {
  const { connection, namespace } = temporal;
  await makeDue(db);
  await new ScheduleClient({ connection, namespace }).getHandle(workflowIds.watcher).trigger('BUFFER_ONE');
}
