/** Sends that the restored database holds as `accepting`. Who asked for them is gone, so nobody will decide on them. */
import { type Database, select } from '../database.js';
import type { Recovery } from './begin-recovery.js';

/** The next undecided single messages, in the order of their ids; see `fenceMessages`. */
export function undecidedMessages(
  db: Database,
  recovery: Pick<Recovery, 'began_at'>,
  after: string | null,
  limit: number,
): Promise<string[]> {
  return idsOf(db, messages, recovery, after, limit);
}

const messages = `
  SELECT id FROM messages
  WHERE sent_at IS NULL AND failed_at IS NULL AND status = 'accepting' AND batch_id IS NULL AND created_at <= $1 AND ($2::uuid IS NULL OR id > $2)
  ORDER BY id LIMIT $3`;

/** The next undecided batches, in the order of their ids; see `fenceBatch`. */
export function undecidedBatches(
  db: Database,
  recovery: Pick<Recovery, 'began_at'>,
  after: string | null,
  limit: number,
): Promise<string[]> {
  return idsOf(db, batches, recovery, after, limit);
}

const batches = `
  SELECT id FROM batches WHERE status = 'accepting' AND created_at <= $1 AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT $3`;

async function idsOf(
  db: Database,
  sql: string,
  { began_at }: Pick<Recovery, 'began_at'>,
  after: string | null,
  limit: number,
): Promise<string[]> {
  return (await select<{ id: string }>(db, sql, [began_at, after, limit])).map(({ id }) => id);
}
