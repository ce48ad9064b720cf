/** Creates the search attributes and the schedule of the watcher. Safe to repeat, also from several workers at once. */
import { type Connection, ScheduleAlreadyRunning, type ScheduleClient } from '@temporalio/client';
import type { Logger } from '../../models/process/logger.js';
import { queues, searchAttributes, workflowIds, workflowTypes } from '../../workflows/contract.js';

/** Numbers of the types of search attributes in Temporal's API: `temporal.api.enums.v1.IndexedValueType`. */
export const indexedValueType = { KEYWORD: 2, KEYWORD_LIST: 7 } as const;
const everyMs = 30_000;
/** A run is skipped while the one before it still runs (`overlap: SKIP`). */
const spec = { intervals: [{ every: everyMs }] };
/**
 * Above the longest run: seven steps of at most a minute each (workflows/activities.ts). No worker of an earlier version can continue a run that a
 * later version has begun. Such a run would block all later ones for ever. A run holds no state, and the next one does its work.
 */
const runMsMax = 600_000;
const action = {
  type: 'startWorkflow',
  workflowType: workflowTypes.runWatcher,
  workflowId: workflowIds.watcher,
  workflowRunTimeout: runMsMax,
  taskQueue: queues.messages,
  args: [],
} as const;

export interface Preparations {
  connection: Connection;
  schedules: ScheduleClient;
  namespace: string;
  logger: Logger;
}

/** Before workers poll: creates what is missing, and updates the interval and the time-out of an older schedule. */
export async function prepareTemporal(preparations: Preparations): Promise<void> {
  if (await restorePreparations(preparations)) return;
  const { schedules } = preparations;
  const schedule = schedules.getHandle(workflowIds.watcher);
  const {
    spec: { intervals },
    action: { workflowRunTimeout },
  } = await schedule.describe();
  if (intervals?.length === 1 && intervals[0]?.every === everyMs && workflowRunTimeout === runMsMax) return;
  await schedule.update(({ policies, state }) => ({ action, policies, state, spec }) as never);
}

/**
 * Creates what is missing, also while workers run: a Temporal server that lost its data has no schedule, and without it the watcher repairs
 * nothing.
 * @returns true when the schedule was missing; its first run then begins at once
 * @throws when Temporal cannot be reached, or has no such namespace
 */
export async function restorePreparations({ connection, schedules, namespace, logger }: Preparations): Promise<boolean> {
  await addSearchAttributes(connection, namespace).catch((err: unknown) => logger.warn({ err }, 'could not check the search attributes'));
  return createSchedule(schedules);
}

/** @returns false when it exists already */
async function createSchedule(schedules: ScheduleClient): Promise<boolean> {
  try {
    await schedules.create({
      scheduleId: workflowIds.watcher,
      spec,
      policies: { overlap: 'SKIP', catchupWindow: '60s' },
      state: { triggerImmediately: true },
      action,
    });
    return true;
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    return false;
  }
}

/** A cluster may allow this to its operators only. If attributes are missing, the start of a workflow fails and names them. */
async function addSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.values(searchAttributes).filter(({ name }) => customAttributes[name] === undefined);
  if (missing.length === 0) return;
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(missing.map(({ name, type }) => [name, indexedValueType[type]])),
  });
}
