import type { Database } from '../../../../models/db/database.js';
import { rows } from '../../../support/database.js';

/** The suppressions of a workspace, each as `channel recipient reason source`. */
export const suppressionsOf = async (db: Database, workspaceId: string): Promise<string[]> =>
  (
    await rows<{ entry: string }>(
      db,
      `SELECT concat_ws(' ', channel, recipient, reason, source) AS entry FROM suppressions WHERE workspace_id = $1 ORDER BY id`,
      [workspaceId],
    )
  ).map(({ entry }) => entry);
