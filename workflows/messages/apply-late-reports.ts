import { defineSignal, setHandler } from '@temporalio/workflow';
import { delivering, local } from '../activities.js';
import { type LateReportsInput, queues, reportsSignal } from '../contract.js';
import { EventPump } from '../webhooks/event-pump.js';
import { queryMissingReports } from './query-missing-reports.js';

/**
 * Applies reports that arrive after the workflow of their group has closed, and delivers the events that they cause. The watcher also starts
 * it for a group with messages that waited too long (`isOver`): then it queries the providers and gives up on the reports that are still
 * missing. The workflow of the group was lost, or has other messages to hand off.
 */
export async function applyLateReports({ groupId, isOver = false }: LateReportsInput): Promise<void> {
  let due = true;
  const events = new EventPump(() => delivering(queues.messages).deliverEvents(groupId));
  setHandler(defineSignal(reportsSignal), () => {
    due = true;
  });
  const overdueAt = new Date().toISOString(); // what becomes overdue later is not given up before its provider was queried
  if (isOver) await queryMissingReports(groupId, queues.messages, overdueAt);
  while (due) {
    due = false;
    events.start((await local.applyReports(groupId)).deliveries);
    // A report that arrives now is not lost: it is stored with a signal, which starts the next turn of this loop.
    if (isOver) await local.giveUpOnReports(groupId, overdueAt);
    await events.drained();
  }
}
