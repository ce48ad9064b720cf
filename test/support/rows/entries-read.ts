/** Counts what statements read from a table. */
import type { Database } from '../../../models/db/database.js';
import { rows } from '../database.js';

/**
 * How many entries the work took from the indexes of a table, and how many rows it took without one. The pool must have one connection only.
 */
export async function entriesRead(db: Database, table: string, work: () => Promise<unknown>): Promise<number> {
  const count = async () => {
    await rows(db, 'SELECT pg_stat_force_next_flush()', []);
    const [sum] = await rows<{ entries: number }>(db, entries, [table]);
    return sum?.entries ?? 0;
  };
  const before = await count();
  await work();
  return (await count()) - before;
}

const entries = `
  SELECT (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes WHERE relname = $1)::integer
    + (SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = $1)::integer AS entries`;
