/** The activities of messages: accept, hand off, apply reports, query the provider. */
import { type Channel, someChannel } from '../models/channels.js';
import type { Config } from '../models/settings/config.js';
import { currentTime, type Database } from '../models/db/database.js';
import { acceptBatch } from '../models/operations/batches/accept-batch.js';
import { acceptMessages } from '../models/operations/messages/accept-messages.js';
import { applyReports } from '../models/operations/reports/apply-reports.js';
import type { OpenWork } from '../models/operations/reports/close-if-done.js';
import { erasureKey } from '../models/operations/erasure/erasure-key.js';
import { batchPages } from '../models/operations/batches/batch-pages.js';
import { type FallenBack, fallBack } from '../models/operations/messages/fall-back.js';
import { giveUpOnHandoffs, giveUpOnReports } from '../models/operations/handoff/give-up.js';
import { hasBeenTried } from '../models/operations/handoff/has-been-tried.js';
import { countGroupWork, type GroupWork } from '../models/operations/messages/count-group-work.js';
import { openPage, startOfPage } from '../models/operations/batches/open-page.js';
import { mustBeVerified } from '../models/rules/accounts/signup-policy.js';
import { type AcceptAnswer, type AcceptBatchAnswer, type DuePage, workflowIds } from '../workflows/contract.js';
import {
  callLeaseSeconds,
  extraLeaseSeconds,
  nextHandoffInMs,
  type UncertainWaits,
} from '../models/operations/handoff/uncertain-handoffs.js';
import { type AnnounceDeps, announcingFailures } from './handoff/announce-failures.js';
import { dispatch, type Dispatched, type DispatchTarget } from './handoff/dispatch.js';
import { withHeartbeat } from './support/heartbeat.js';
import type { PersistDeps } from './support/persist.js';
import type { Providers } from './handoff/providers/provider.js';
import { AccountHealthMonitor } from './handoff/account-health.js';
import { type PollLimits, pollReports } from './reports/poll-reports.js';
import { callsAgain } from './handoff/routing.js';
import { ConnectionsOfThread } from './handoff/account-connections.js';
import { type SlotSharesOfThread, slotSharesOfThread } from './handoff/slot-shares.js';
import { Throughput } from './handoff/throughput.js';

export interface MessageDeps extends PersistDeps, AnnounceDeps {
  config: Pick<
    Config,
    | 'secretKeys'
    | 'isSandboxOnly'
    | 'signup'
    | 'reportTimeoutSeconds'
    | 'handoffTimeoutSeconds'
    | 'unknownHandoffSeconds'
    | 'quotas'
    | 'providerLimits'
    | 'routeWindowSeconds'
  >;
  providers: Providers;
  slots?: SlotSharesOfThread | undefined;
  /** Aborted when the worker has to stop. */
  stopping?: AbortSignal;
  /** How long a call without an outcome may still run. */
  leaseSeconds?: number;
}

/** The result of acceptance for the workflow. Only ids, times and sums of credits, because Temporal stores it. */
export interface AcceptedMessages extends AcceptAnswer {
  /** Due deliveries of the group. */
  deliveries: number;
  /** Milliseconds until the group is due. */
  startInMs: number;
  handoffTimeoutMs: number;
  reportTimeoutMs: number;
}

/** The result of the acceptance of a batch for the workflow. `due` is set when its pages can start at once. */
export interface AcceptedBatch extends AcceptBatchAnswer {
  due?: DuePage;
}

const waitsOf = ({ config, providers, leaseSeconds = callLeaseSeconds }: MessageDeps): UncertainWaits => ({
  leaseSeconds,
  leasesByAccount: Object.fromEntries(
    [...providers.accounts.values()].flatMap(({ name, deadlineMs }) =>
      deadlineMs === undefined ? [] : [[name, leaseSeconds + extraLeaseSeconds(deadlineMs)]],
    ),
  ),
  unknownSeconds: config.unknownHandoffSeconds,
  repeatable: [...providers.accounts.values()].filter(callsAgain).map(({ name }) => name),
});

/** Creates the function that hands off a group. All hand-offs of a thread share the known limits and health of the providers. */
export function dispatcher(deps: MessageDeps): (target: DispatchTarget) => Promise<Dispatched> {
  const { db, config, logger, providers, slots = slotSharesOfThread() } = deps;
  const waits = waitsOf(deps);
  const throughput = new Throughput(db, config.providerLimits, waits);
  const health = new AccountHealthMonitor({ db, logger, windowSeconds: config.routeWindowSeconds }, providers);
  const connections = new ConnectionsOfThread(providers.accounts);
  const rules = { secretKeys: config.secretKeys, verifiedOnly: mustBeVerified(config) };
  return (target) => dispatch({ ...deps, ...rules, throughput, slots, connections, health, waits }, target);
}

/** @param handOff see `dispatcher`; shared with the activities of groups */
export function messageActivities(deps: MessageDeps, handOff: (target: DispatchTarget) => Promise<Dispatched>) {
  const { db, config, stopping } = deps;
  return {
    /** Local: debits and queues messages. */
    async acceptMessages(groupId: string): Promise<AcceptedMessages> {
      const { channel = someChannel, scheduledAt, ...decision } = await acceptMessages(db, groupId);
      return { ...decision, ...(await times(db, config, { channel, scheduledAt })) };
    },

    /** Local: debits and queues a whole batch. */
    async acceptBatch(batchId: string): Promise<AcceptedBatch> {
      const { start, ...decision } = await acceptBatch(db, batchId, config.quotas.openBatches);
      if (start === undefined) return decision;
      const { startInMs, ...due } = await times(db, config, start);
      return { ...decision, ...(startInMs === 0 ? { due } : {}) };
    },

    /** Local: the ids of the pages of a batch. */
    batchPages: (batchId: string, fromPage: number, limit: number): Promise<string[]> => batchPages(db, batchId, fromPage, limit),

    /** Opens a page of a charged batch: its due events, and when it is due. */
    async openPage(groupId: string): Promise<AcceptedMessages> {
      await openPage(db, groupId);
      const { deliveries } = await countGroupWork(db, groupId);
      return { accepted: [], deliveries, ...(await times(db, config, await startOfPage(db, groupId))) };
    },

    /**
     * Hands the due messages of a group to their providers. When no message was taken, the activity fails and its retry policy repeats it.
     * When a part was taken, the workflow calls it again. See also `announcingFailures`.
     */
    dispatchMessages: (groupId: string, batchId?: string): Promise<Dispatched> =>
      withHeartbeat((signal) => openAndHandOff(deps, handOff, { groupId, batchId, signal }), stopping),

    /** Local: applies the reports in the inbox of a group. */
    async applyReports(groupId: string): Promise<GroupWork> {
      return applyReports(db, groupId, { key: await erasureKey(db, config.secretKeys) });
    },
  };
}

/** Opens a page first. When a signal came early, its first hand-off is `dispatchMessages`, and no `sendGroup` has opened it. */
async function openAndHandOff(
  deps: AnnounceDeps,
  handOff: (target: DispatchTarget) => Promise<Dispatched>,
  target: DispatchTarget,
): Promise<Dispatched> {
  if (target.batchId !== undefined) await openPage(deps.db, target.groupId);
  return announcingFailures(deps, target.groupId, () => handOff(target));
}

/** The activities that end the wait for reports or for a provider. */
export function givingUpActivities(deps: MessageDeps) {
  const { db, config, stopping } = deps;
  const waits = waitsOf(deps);
  return {
    /** Queries the providers for messages whose report is missing, and stores the reports in the inbox. See `pollReports`. */
    pollReports: (groupId: string, limits: PollLimits = {}): Promise<string | null> =>
      withHeartbeat((signal) => pollReports(deps, groupId, limits, signal), stopping),

    /** Local: decides whether the next step of a message's fallback chain is sent. */
    fallBack: (groupId: string, isDue: boolean): Promise<FallenBack> => fallBack(db, groupId, isDue, workflowIds.message),

    /** Local: gives up on missing reports. @param overdueAt only of messages whose time for reports was over at this time (ISO 8601) */
    giveUpOnReports: (groupId: string, overdueAt: string | null = null): Promise<OpenWork> =>
      giveUpOnReports(db, groupId, { at: overdueAt, timeoutSeconds: config.reportTimeoutSeconds }),

    /**
     * Local: gives up on hand-offs. A message that a provider may have taken stays queued and waits for its report first.
     * @param hasWaitedForWorker all messages stay queued if none was tried in the time for the hand-off. The next one has the whole time again.
     */
    async giveUpOnHandoffs(groupId: string, hasWaitedForWorker = false): Promise<Dispatched> {
      const isUntried = hasWaitedForWorker && !(await hasBeenTried(db, groupId, config.handoffTimeoutSeconds));
      if (!isUntried) await giveUpOnHandoffs(db, groupId, waits);
      const state = await countGroupWork(db, groupId);
      const retryInMs = state.queued === 0 ? 0 : await nextHandoffInMs(db, groupId, waits);
      return { ...state, more: false, ...(retryInMs > 0 ? { retryInMs } : {}) };
    },
  };
}

/** The times for the workflow, by the clock of the database, which decides when a message is due. */
async function times(
  db: Database,
  config: MessageDeps['config'],
  { channel, scheduledAt }: { channel: Channel; scheduledAt: Date | null },
): Promise<Omit<AcceptedMessages, 'accepted' | 'deliveries'>> {
  return {
    startInMs: scheduledAt === null ? 0 : Math.max(0, scheduledAt.getTime() - (await currentTime(db)).getTime()),
    handoffTimeoutMs: config.handoffTimeoutSeconds * 1000,
    reportTimeoutMs: config.reportTimeoutSeconds[channel] * 1000,
  };
}
