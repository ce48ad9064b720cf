import { watching } from './activities.js';

/** What is repaired, and who is forgotten, each kind beside the others. */
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
/** What else is done in a round, one after the other. */
const chores = ['mailLowBalances', 'checkLedger', 'forgetOld', 'eraseOld', 'auditBooks'] as const;

/**
 * The watcher, run by a schedule. A crash can fall between a commit and the call that should follow it, and Temporal can lose its data:
 * everything that should be driven and is not is found in the database and started again. A step that fails, or takes too long, keeps no
 * other from its work; the next round does it again.
 */
export async function maintain(): Promise<void> {
  const failing: string[] = [];
  const attempt = async (step: (typeof repairs)[number] | (typeof chores)[number]) => {
    try {
      await watching[step]();
    } catch {
      failing.push(step);
    }
  };
  const inTurn = async () => {
    for (const chore of chores) await attempt(chore);
  };
  await Promise.all([...repairs.map(attempt), inTurn()]);
  await watching.noteRound(failing);
}
