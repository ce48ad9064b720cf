import { ActivityFailure, condition, defineSignal, defineUpdate, setHandler, sleep } from '@temporalio/workflow';
import type { Accepted } from '../activities/messages.js';
import type { GroupWork } from '../models/operations/group-work.js';
import { asking, dispatching, local } from './activities.js';
import { type AcceptAnswer, acceptUpdate, cancelledSignal, reportsSignal, type SendMessagesInput } from './contract.js';
import { EventPump } from './event-pump.js';

const accept = defineUpdate<AcceptAnswer>(acceptUpdate);
const reports = defineSignal(reportsSignal);
const cancelled = defineSignal(cancelledSignal);

/** What signals have told. */
interface Inbox {
  reports: boolean;
  cancelled: boolean;
}

/** Between rounds when a part of the group was handed off and a part was not. */
const partialRetryMs = 1_000;

/**
 * The way of a group of messages: charge, hand off, wait for reports, deliver events. The main line does the work whether or
 * not anybody waits for the `accept` update; a message that cannot be paid ends here with nothing left behind.
 */
export async function sendMessages({ groupId }: SendMessagesInput): Promise<void> {
  let accepted: Accepted | undefined;
  const inbox: Inbox = { reports: false, cancelled: false };
  const events = new EventPump(groupId);

  setHandler(accept, async () => {
    await condition(() => accepted !== undefined);
    return { accepted: (accepted as Accepted).accepted };
  });
  setHandler(reports, () => {
    inbox.reports = true;
  });
  setHandler(cancelled, () => {
    inbox.cancelled = true;
    events.start();
  });

  accepted = await local.acceptMessages(groupId);
  if (accepted.accepted.length === 0) return;
  events.start(accepted.deliveries);
  if (accepted.startInMs > 0) await condition(() => inbox.cancelled, accepted.startInMs);
  const handedOff = await handOff(groupId, accepted, inbox, events);
  await awaitReports(groupId, accepted.reportTimeoutMs, handedOff, inbox, events);
  await events.drained();
}

/**
 * Tries until every message has been taken or refused, or the time for it is over. Reports that come meanwhile are applied at
 * once: where the provider's answer was lost, they are the proof of the hand-off.
 */
async function handOff(groupId: string, { handoffTimeoutMs }: Accepted, inbox: Inbox, events: EventPump): Promise<GroupWork> {
  const { dispatchMessages } = dispatching(handoffTimeoutMs);
  for (;;) {
    let settled: GroupWork | undefined;
    const dispatch = dispatchMessages(groupId)
      .catch((error: unknown) => {
        if (error instanceof ActivityFailure) return local.giveUpOnHandoffs(groupId);
        throw error;
      })
      .then((work) => {
        settled = work;
      });
    while (settled === undefined) {
      await Promise.race([dispatch, condition(() => inbox.reports)]);
      if (settled === undefined) await applyReports(groupId, inbox, events);
    }
    const work: GroupWork = settled;
    events.start(work.deliveries);
    if (work.queued === 0) return work;
    await sleep(partialRetryMs);
  }
}

async function applyReports(groupId: string, inbox: Inbox, events: EventPump): Promise<GroupWork> {
  inbox.reports = false;
  const work = await local.applyReports(groupId);
  events.start(work.deliveries);
  return work;
}

/** Applies reports whenever the group is woken, until nothing is open; asks the providers when none comes in time. */
async function awaitReports(groupId: string, timeoutMs: number, handedOff: GroupWork, inbox: Inbox, events: EventPump): Promise<void> {
  // A group of which nothing was taken waits for nothing; the same step closes it.
  inbox.reports ||= handedOff.reports || handedOff.open === 0;
  for (;;) {
    const inTime = inbox.reports || (await condition(() => inbox.reports, timeoutMs));
    if (!inTime) await asking.pollReports(groupId).catch(() => undefined);
    if ((await applyReports(groupId, inbox, events)).open === 0) return;
    if (!inTime && (await local.giveUpOnReports(groupId)).open === 0) return;
    inbox.reports ||= !inTime; // reports came while giving up
  }
}
