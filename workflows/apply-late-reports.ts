import { defineSignal, setHandler } from '@temporalio/workflow';
import { delivering, local } from './activities.js';
import { type LateReportsInput, queues, reportsSignal } from './contract.js';
import { EventPump } from './event-pump.js';

/** Applies reports that came after their group's workflow had closed, and delivers the events they cause. */
export async function applyLateReports({ groupId }: LateReportsInput): Promise<void> {
  let due = true;
  const events = new EventPump(() => delivering(queues.messages).deliverEvents(groupId));
  setHandler(defineSignal(reportsSignal), () => {
    due = true;
  });
  while (due) {
    due = false;
    events.start((await local.applyReports(groupId)).deliveries);
    await events.drained();
  }
}
