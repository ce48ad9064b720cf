/** Creates the search attributes and the schedule of the watcher. Safe to repeat, also from several workers at once. */
import { type Connection, ScheduleAlreadyRunning, type ScheduleClient, type ScheduleDescription } from '@temporalio/client';
import { installationMemo, isForeign, ownerIn, refusalOfNamespace } from '../../models/startup/installation.js';
import type { Logger } from '../../models/process/logger.js';
import { queues, searchAttributes, workflowIds, workflowTypes } from '../../workflows/contract.js';

/** Numbers of the types of search attributes in Temporal's API: `temporal.api.enums.v1.IndexedValueType`. */
export const indexedValueType = { KEYWORD: 2, KEYWORD_LIST: 7 } as const;
/** The time between two runs of the watcher. */
export const watcherEveryMs = 30_000;
/** A run is skipped while the one before it still runs (`overlap: SKIP`). */
const spec = { intervals: [{ every: watcherEveryMs }] };
/**
 * Above the longest run: seven steps of at most a minute each (workflows/activities.ts). No worker of an earlier version can continue a run that a
 * later version has begun. Such a run would block all later ones for ever. A run holds no state, and the next one does its work.
 */
const runMsMax = 600_000;
const actionOf = (installation: string | null) =>
  ({
    type: 'startWorkflow',
    workflowType: workflowTypes.runWatcher,
    workflowId: workflowIds.watcher,
    workflowRunTimeout: runMsMax,
    taskQueue: queues.messages,
    args: [],
    ...(installation === null ? {} : { memo: { [installationMemo]: installation } }),
  }) as const;

/** Another installation has the namespace. Task queues and ids of schedules have the same names, so each would take work of the other. */
export class ForeignNamespaceError extends Error {}

export interface Preparations {
  connection: Connection;
  schedules: ScheduleClient;
  namespace: string;
  /** The installation of this worker; null if it is not known. */
  installation: string | null;
  logger: Logger;
  /** Whether the search attributes could not be checked. It is logged once. */
  isUnchecked?: boolean;
}

/**
 * Before workers poll: creates what is missing, and updates the interval and the timeout of an older schedule. A schedule that belongs to no
 * installation belongs to this one from then on.
 * @returns true when the schedule was missing
 * @throws ForeignNamespaceError
 */
export async function prepareTemporal(preparations: Preparations): Promise<boolean> {
  const present = await restoreAll(preparations);
  if (present === null) return true;
  const {
    spec: { intervals },
    action: { workflowRunTimeout },
  } = present;
  const owner = ownerIn(present.action.memo);
  const isNamed = owner !== null || preparations.installation === null;
  if (intervals?.length === 1 && intervals[0]?.every === watcherEveryMs && workflowRunTimeout === runMsMax && isNamed) return false;
  const action = actionOf(owner ?? preparations.installation);
  const schedule = preparations.schedules.getHandle(workflowIds.watcher);
  await schedule.update(({ policies, state }) => ({ action, policies, state, spec }) as never);
  return false;
}

/**
 * Creates what is missing, also while workers run: a Temporal server that lost its data has no schedule, and without it the watcher repairs
 * nothing.
 * @returns true when the schedule was missing; its first run then begins at once
 * @throws when Temporal cannot be reached, has no such namespace, or another installation has it
 */
export const restorePreparations = async (preparations: Preparations): Promise<boolean> => (await restoreAll(preparations)) === null;

/** @returns the schedule; null when it was missing */
async function restoreAll(preparations: Preparations): Promise<ScheduleDescription | null> {
  const { schedules, namespace, installation } = preparations;
  await checkSearchAttributes(preparations);
  if (await createSchedule(schedules, installation)) return null;
  const present = await schedules.getHandle(workflowIds.watcher).describe();
  if (isForeign(present.action.memo, installation)) throw new ForeignNamespaceError(refusalOfNamespace(namespace));
  return present;
}

/** @returns false when it exists already */
async function createSchedule(schedules: ScheduleClient, installation: string | null): Promise<boolean> {
  try {
    await schedules.create({
      scheduleId: workflowIds.watcher,
      spec,
      policies: { overlap: 'SKIP', catchupWindow: '60s' },
      state: { triggerImmediately: true },
      action: actionOf(installation),
    });
    return true;
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    return false;
  }
}

/** A cluster may allow this to its operators only. If attributes are missing, the start of a workflow fails and names them. */
async function checkSearchAttributes(preparations: Preparations): Promise<void> {
  const { connection, namespace, logger, isUnchecked = false } = preparations;
  try {
    await addSearchAttributes(connection, namespace);
    preparations.isUnchecked = false;
  } catch (err) {
    if (!isUnchecked)
      logger.warn({ err }, 'could not check the search attributes: if they are missing, no message is accepted. Run the doctor');
    preparations.isUnchecked = true;
  }
}

async function addSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.values(searchAttributes).filter(({ name }) => customAttributes[name] === undefined);
  if (missing.length === 0) return;
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(missing.map(({ name, type }) => [name, indexedValueType[type]])),
  });
}
