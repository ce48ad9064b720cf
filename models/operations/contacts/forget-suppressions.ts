import type { Database } from '../../db/database.js';
import { forgetPages } from '../../db/delete-page.js';

/** Deletes suppressions that have expired a day ago, which no list shows. Until then they can be read by their ids. @returns how many */
export const forgetSuppressions = (db: Database): Promise<number> => forgetPages(db, [expired]);

// Without those that recipients made, which do not expire. A new bounce replaces an expired entry, which is locked then.
const expired = `
  DELETE FROM ONLY suppressions WHERE id IN (
    SELECT id FROM ONLY suppressions WHERE expires_at < now() - interval '1 day' LIMIT $1 FOR UPDATE SKIP LOCKED)
  RETURNING 1`;
