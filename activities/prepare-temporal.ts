/** What the namespace needs before workers poll: search attributes and the watcher's schedule. Safe to repeat, and from several workers. */
import { type Connection, ScheduleAlreadyRunning, type ScheduleClient } from '@temporalio/client';
import type { Logger } from '../models/logger.js';
import { queues, searchAttributes, workflowIds, workflowTypes } from '../workflows/contract.js';

/** `temporal.api.enums.v1.IndexedValueType`. */
const indexedValueType = { KEYWORD: 2, KEYWORD_LIST: 7 } as const;
const maintainEvery = '60s';

export async function prepareTemporal(connection: Connection, schedules: ScheduleClient, namespace: string, logger: Logger): Promise<void> {
  await addSearchAttributes(connection, namespace, logger);
  try {
    await schedules.create({
      scheduleId: workflowIds.maintain,
      spec: { intervals: [{ every: maintainEvery }] },
      policies: { overlap: 'SKIP', catchupWindow: maintainEvery },
      action: {
        type: 'startWorkflow',
        workflowType: workflowTypes.maintain,
        workflowId: workflowIds.maintain,
        taskQueue: queues.messages,
        args: [],
      },
    });
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error;
  }
}

/** A cluster may keep this to its operators; then they have done it, or starting workflows tells what is missing. */
async function addSearchAttributes(connection: Connection, namespace: string, logger: Logger): Promise<void> {
  try {
    const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
    const missing = Object.values(searchAttributes).filter(({ name }) => customAttributes[name] === undefined);
    if (missing.length === 0) return;
    await connection.operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(missing.map(({ name, type }) => [name, indexedValueType[type]])),
    });
  } catch (err) {
    logger.warn({ err }, 'search attributes could not be checked');
  }
}
