import { ActivityFailure, condition, continueAsNew, defineSignal, defineUpdate, setHandler, workflowInfo } from '@temporalio/workflow';
import type { Accepted } from '../activities/handoff/messages.js';
import type { GroupWork } from '../models/operations/messages/group-work.js';
import { asking, delivering, dispatching, local } from './activities.js';
import {
  type AcceptAnswer,
  acceptUpdate,
  batchChangedSignal,
  cancelledSignal,
  queues,
  reportsSignal,
  type SendMessagesInput,
} from './contract.js';
import { fallBackInTime } from './fall-back.js';
import { EventPump } from './event-pump.js';
import { GroupTender } from './group-tender.js';

const accept = defineUpdate<AcceptAnswer>(acceptUpdate);
const reports = defineSignal(reportsSignal);
const cancelled = defineSignal(cancelledSignal);
const batchChanged = defineSignal(batchChangedSignal);

/** What signals have told: the inbox holds reports; a message or the batch was cancelled or resumed. */
interface Inbox {
  reports: boolean;
  changed: boolean;
}

/** What a dispatch has left, or giving up. */
type Dispatched = GroupWork & { more?: boolean; retryInMs?: number };

interface Group {
  groupId: string;
  /** Hands off what is due, in this time. */
  dispatch: (timeoutMs: number) => Promise<Dispatched>;
  startAtMs: number;
  /** Begins the workflow anew, with an empty history; absent where it has a clock that would begin anew too. */
  beginAnew?: () => Promise<never>;
}

const firstPauseMs = 60_000;
const longestPauseMs = 3_600_000;

/** Between rounds when a part of the group was handed off and a part was not. */
const partialRetryMs = 1_000;

/**
 * The way of a group of messages: charge, hand off, wait for reports, deliver events. The main line does the work whether or
 * not anybody waits for the `accept` update; a message that cannot be paid ends here with nothing left behind.
 */
export async function sendMessages({ groupId, batchId, fallbackAfterMs }: SendMessagesInput): Promise<void> {
  const decided: { answer?: AcceptAnswer } = {};
  const inbox: Inbox = { reports: false, changed: false };
  let tender = batchId === undefined ? undefined : new GroupTender(groupId, batchId);
  let events = tender?.events ?? new EventPump(() => delivering(queues.messages).deliverEvents(groupId));

  setHandler(accept, async () => {
    await condition(() => decided.answer !== undefined);
    return decided.answer as AcceptAnswer;
  });
  setHandler(reports, () => {
    if (tender === undefined) inbox.reports = true;
    else events.start();
  });
  for (const signal of [cancelled, batchChanged]) {
    setHandler(signal, () => {
      inbox.changed = true;
      events.start();
    });
  }

  const accepted = await (batchId === undefined ? local.acceptMessages(groupId) : local.openPage(groupId));
  decided.answer = { accepted: accepted.accepted };
  if (batchId === undefined && accepted.accepted.length === 0) return;
  // One message needs no tender: its report comes in seconds, and a signal costs less than looking for it.
  if (accepted.accepted.length > 1) {
    tender = new GroupTender(groupId);
    events = tender.events;
  }
  // Where it is due at once, its hand-off comes with its events.
  if (tender === undefined || accepted.startInMs > 0) events.start(accepted.deliveries);
  const dispatch = (timeoutMs: number): Promise<Dispatched> =>
    tender?.dispatch(timeoutMs) ?? dispatching(queues.messages, timeoutMs).dispatchMessages(groupId);
  const beginAnew = () => continueAsNew<typeof sendMessages>({ groupId, ...(batchId === undefined ? {} : { batchId }) });
  const group = { groupId, dispatch, startAtMs: Date.now() + accepted.startInMs, ...(fallbackAfterMs === undefined ? { beginAnew } : {}) };
  const end = { isClosed: false };
  const fallen =
    fallbackAfterMs === undefined ? undefined : fallBackInTime(groupId, accepted.startInMs + fallbackAfterMs, end, sendMessages);
  void fallen?.then(({ deliveries }) => events.start(deliveries));
  if (accepted.startInMs > 0) await condition(() => inbox.changed, accepted.startInMs);
  const handedOff = await handOff(accepted, group, inbox, events);
  if (tender === undefined) await awaitReports(groupId, accepted.reportTimeoutMs, handedOff, inbox, events);
  else await tender.awaitReports(accepted.reportTimeoutMs);
  end.isClosed = true;
  await fallen;
  await events.drained();
}

/**
 * Tries until every message has been taken or refused, or the time for it is over. Reports that come meanwhile are applied at
 * once: where the provider's answer was lost, they are the proof of the hand-off.
 */
async function handOff({ handoffTimeoutMs }: Accepted, group: Group, inbox: Inbox, events: EventPump): Promise<GroupWork> {
  const { groupId } = group;
  for (let pauseMs = firstPauseMs; ; ) {
    inbox.changed = false;
    let overtaken = false;
    let settled: Dispatched | undefined;
    const dispatch = group
      .dispatch(handoffTimeoutMs)
      .catch((error: unknown) => {
        if (error instanceof ActivityFailure) return local.giveUpOnHandoffs(groupId);
        throw error;
      })
      .then((work) => {
        settled = work;
      });
    while (settled === undefined) {
      await Promise.race([dispatch, condition(() => inbox.reports)]);
      if (settled === undefined) {
        await applyReports(groupId, inbox, events);
        overtaken = true;
      }
    }
    // What the dispatch saw may be older than what the reports did: look again instead of waiting for a report that has come.
    inbox.reports ||= overtaken;
    const work: Dispatched = settled;
    events.start(work.deliveries);
    if (work.queued === 0) return work;
    if (group.beginAnew !== undefined && workflowInfo().continueAsNewSuggested) {
      await events.drained();
      await group.beginAnew(); // every step of the new run finds in the database what this one has done
    }
    if (work.paused) {
      // A signal ends the pause; looking again now and then covers one that was lost.
      await rest(pauseMs, groupId, inbox, events);
      pauseMs = Math.min(2 * pauseMs, longestPauseMs);
    } else if (work.more !== true)
      await rest(Math.max(partialRetryMs, group.startAtMs - Date.now(), work.retryInMs ?? 0), groupId, inbox, events);
  }
}

/** Waits until the group was changed or the time is over, and applies the reports that come meanwhile. */
async function rest(forMs: number, groupId: string, inbox: Inbox, events: EventPump): Promise<void> {
  const until = Date.now() + forMs;
  for (let leftMs = forMs; leftMs > 0 && !inbox.changed; leftMs = until - Date.now()) {
    await condition(() => inbox.changed || inbox.reports, leftMs);
    if (inbox.reports && (await applyReports(groupId, inbox, events)).queued === 0) return;
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
