import { patched } from '@temporalio/workflow';
import { watching } from './activities.js';

/** Steps that run in parallel: repairs of each kind, erasures, and closings of workspaces. */
const repairs = [
  'repairGroups',
  'repairReports',
  'repairDeliveries',
  'repairBatches',
  'repairFallbacks',
  'repairReplays',
  'repairMails',
  'eraseRecipients',
  'settleClosedWorkspaces',
] as const;
/** Steps that run one after the other. */
const maintenanceSteps = ['mailLowBalances', 'checkLedger', 'forgetOld', 'eraseOld', 'auditBooks'] as const;
type Step = (typeof repairs)[number] | (typeof maintenanceSteps)[number] | 'countMessages';

/**
 * One run of the watcher, started by a schedule. It finds work in the database that no workflow drives, and starts it again. Such work
 * exists after a crash between a commit and the call to Temporal that follows it, or after Temporal has lost its data. A step that fails or
 * takes too long does not stop the others. The next run repeats it.
 */
export async function runWatcher(): Promise<void> {
  const failing: string[] = [];
  const attempt = async (step: Step) => {
    try {
      await watching[step]();
    } catch {
      failing.push(step);
    }
  };
  const inTurn = async () => {
    if (patched('count-messages')) await attempt('countMessages');
    for (const step of maintenanceSteps) await attempt(step);
  };
  await Promise.all([...repairs.map(attempt), inTurn()]);
  await watching.noteRound(failing);
}
