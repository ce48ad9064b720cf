import { defineSignal, setHandler } from '@temporalio/workflow';
import { asking, delivering, local } from './activities.js';
import { type LateReportsInput, queues, reportsSignal } from './contract.js';
import { EventPump } from './event-pump.js';

/**
 * Applies reports that came after their group's workflow had closed, and delivers the events they cause. Started by the watcher, it also ends
 * the waiting of a group whose workflow was lost.
 */
export async function applyLateReports({ groupId, isOver = false }: LateReportsInput): Promise<void> {
  let due = true;
  const events = new EventPump(() => delivering(queues.messages).deliverEvents(groupId));
  setHandler(defineSignal(reportsSignal), () => {
    due = true;
  });
  if (isOver) await asking.pollReports(groupId).catch(() => undefined);
  while (due) {
    due = false;
    events.start((await local.applyReports(groupId)).deliveries);
    // Where reports came meanwhile nothing is given up: whoever stored them signals.
    if (isOver) await local.giveUpOnReports(groupId);
    await events.drained();
  }
}
