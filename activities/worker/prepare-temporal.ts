/** What the namespace needs: search attributes and the watcher's schedule. Safe to repeat, and from several workers. */
import { type Connection, ScheduleAlreadyRunning, type ScheduleClient } from '@temporalio/client';
import type { Logger } from '../../models/process/logger.js';
import { queues, searchAttributes, workflowIds, workflowTypes } from '../../workflows/contract.js';

/** `temporal.api.enums.v1.IndexedValueType`. */
const indexedValueType = { KEYWORD: 2, KEYWORD_LIST: 7 } as const;
/** A round that is still at work lets the next one out. */
const spec = { intervals: [{ every: '30s' as const }] };
const everyMs = 30_000;

export interface Preparations {
  connection: Connection;
  schedules: ScheduleClient;
  namespace: string;
  logger: Logger;
}

/** Before workers poll: makes what is missing, and gives a schedule of an earlier version its present times. */
export async function prepareTemporal({ connection, schedules, namespace, logger }: Preparations): Promise<void> {
  await addSearchAttributes(connection, namespace).catch((err: unknown) => logger.warn({ err }, 'search attributes could not be checked'));
  if (await createSchedule(schedules)) return;
  const schedule = schedules.getHandle(workflowIds.maintain);
  const { intervals } = (await schedule.describe()).spec;
  if (intervals?.length === 1 && intervals[0]?.every === everyMs) return;
  await schedule.update(({ action, policies, state }) => ({ action, policies, state, spec }) as never);
}

/**
 * Makes what is missing while workers live: a Temporal server that lost its data has neither schedule nor attributes, and without the
 * schedule nobody would repair anything.
 * @returns whether the schedule was missing; its first round begins at once then
 * @throws when Temporal is away, or has no such namespace
 */
export async function restorePreparations({ connection, schedules, namespace, logger }: Preparations): Promise<boolean> {
  await addSearchAttributes(connection, namespace).catch((err: unknown) => logger.warn({ err }, 'search attributes could not be checked'));
  return createSchedule(schedules);
}

/** @returns false when it exists */
async function createSchedule(schedules: ScheduleClient): Promise<boolean> {
  try {
    await schedules.create({
      scheduleId: workflowIds.maintain,
      spec,
      policies: { overlap: 'SKIP', catchupWindow: '60s' },
      state: { triggerImmediately: true },
      action: {
        type: 'startWorkflow',
        workflowType: workflowTypes.maintain,
        workflowId: workflowIds.maintain,
        taskQueue: queues.messages,
        args: [],
      },
    });
    return true;
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
    return false;
  }
}

/** A cluster may keep this to its operators; then they have done it, or starting workflows tells what is missing. */
async function addSearchAttributes(connection: Connection, namespace: string): Promise<void> {
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.values(searchAttributes).filter(({ name }) => customAttributes[name] === undefined);
  if (missing.length === 0) return;
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(missing.map(({ name, type }) => [name, indexedValueType[type]])),
  });
}
