import { type Database, select } from '../../db/database.js';

/**
 * Ends the positions of all streams: a viewer that resumes is told that events may be missing. A restored database gives numbers of transactions
 * again, so a position from the lost time would count later events as received. No process may have a stream open.
 */
export async function endPositions(db: Database): Promise<void> {
  await select(db, 'DELETE FROM open_streams');
  await select(db, 'DELETE FROM streamed_workspaces');
}
