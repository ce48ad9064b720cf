/** The watcher's step for closed workspaces: cancels their open work, page by page. */
import type { Database } from '../../models/db/database.js';
import type { Logger } from '../../models/process/logger.js';
import { closingWorkspaces, settleClosed } from '../../models/operations/accounts/settle-closed.js';

/** Time for a run. The next run continues. */
const sliceMs = 20_000;
const workspacesMax = 50;

export function closingActivities({ db, logger }: { db: Database; logger: Logger }) {
  return {
    /**
     * Cancels the open messages and batches of closed workspaces, and marks a workspace as settled when none is left. A workspace that fails is
     * logged and tried again in the next run. The others do not wait for it.
     * @throws the first error at the end, so that the operator is alerted
     */
    async settleClosedWorkspaces(): Promise<void> {
      const until = Date.now() + sliceMs;
      let failure: { err: unknown } | undefined;
      for (const workspaceId of await closingWorkspaces(db, workspacesMax)) {
        if (Date.now() > until) break;
        try {
          if (await settleClosed(db, workspaceId, until)) logger.info({ workspace_id: workspaceId }, 'settled a closed workspace');
        } catch (err) {
          failure ??= { err };
          logger.error({ err, workspace_id: workspaceId }, 'could not settle a closed workspace; the next watcher run tries again');
        }
      }
      if (failure !== undefined) throw failure.err;
    },
  };
}
