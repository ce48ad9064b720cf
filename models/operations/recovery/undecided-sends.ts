/** Sends that are `accepting` in the restored database. Their requests are gone, so no process will decide them. */
import { type Database, selectIds } from '../../db/database.js';
import type { Recovery } from './begin-recovery.js';

/** The undecided single messages of these open groups; see `fenceMessages`. */
export function undecidedMessages(db: Database, { began_at }: Pick<Recovery, 'began_at'>, groupIds: readonly string[]): Promise<string[]> {
  return selectIds(db, messages, [groupIds, began_at]);
}

const messages = `
  SELECT id FROM messages WHERE group_id = ANY($1::uuid[]) AND status = 'accepting' AND batch_id IS NULL AND created_at <= $2 ORDER BY id`;

/** The next undecided batches, in the order of their ids; see `fenceBatch`. */
export function undecidedBatches(
  db: Database,
  { began_at }: Pick<Recovery, 'began_at'>,
  after: string | null,
  limit: number,
): Promise<string[]> {
  return selectIds(db, batches, [began_at, after, limit]);
}

const batches = `
  SELECT id FROM batches WHERE status = 'accepting' AND created_at <= $1 AND ($2::uuid IS NULL OR id > $2) ORDER BY id LIMIT $3`;
