/** The watcher's end of closed accounts: what they have under way is cancelled, step by step. */
import type { Database } from '../../models/db/database.js';
import type { Logger } from '../../models/process/logger.js';
import { closingWorkspaces, settleClosed } from '../../models/operations/accounts/settle-closed.js';

/** Of a round; what is left is the next one's. */
const sliceMs = 20_000;
const workspacesMax = 50;

export function closingActivities({ db, logger }: { db: Database; logger: Logger }) {
  return {
    /** Cancels what closed workspaces have under way, and notes those that have nothing left. */
    async settleClosedWorkspaces(): Promise<void> {
      const until = Date.now() + sliceMs;
      for (const workspaceId of await closingWorkspaces(db, workspacesMax)) {
        if (Date.now() > until) return;
        if (await settleClosed(db, workspaceId, until)) logger.info({ workspace_id: workspaceId }, 'a closed workspace is settled');
      }
    },
  };
}
