/** The events of messages that failed during a hand-off that continues for the others of their group. */
import { activityInfo, ApplicationFailure } from '@temporalio/activity';
import type { Database } from '../../models/db/database.js';
import { hasUnannouncedFailures } from '../../models/operations/handoff/has-unannounced-failures.js';
import { workflowIds } from '../../workflows/contract.js';
import type { WorkflowStarts } from '../support/workflow-starts.js';
import { notHandedOffType } from './next-try.js';

export interface AnnounceDeps {
  db: Database;
  /** Signals the workflow of a group. */
  starts: Pick<WorkflowStarts, 'wakeGroup'>;
}

/**
 * Runs a hand-off. If Temporal repeats it, the workflow gets no result, perhaps for hours. A signal then tells it to deliver the events of
 * messages that have failed meanwhile. If the signal fails, the next attempt sends it.
 */
export async function announcingFailures<Result>(deps: AnnounceDeps, groupId: string, handOff: () => Promise<Result>): Promise<Result> {
  try {
    return await handOff();
  } catch (error) {
    if (error instanceof ApplicationFailure && error.type === notHandedOffType) await announce(deps, groupId).catch(() => undefined);
    throw error;
  }
}

/** In a group of one message, no hand-off continues after a failure. */
async function announce({ db, starts }: AnnounceDeps, groupId: string): Promise<void> {
  const workflowId = activityInfo().workflowExecution?.workflowId;
  if (workflowId === undefined || workflowId === workflowIds.message(groupId)) return;
  if (await hasUnannouncedFailures(db, groupId)) await starts.wakeGroup({ groupId, workflowId, late: false });
}
