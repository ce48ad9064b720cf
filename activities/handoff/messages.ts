/** The activities of the message's way: accept, hand off, apply reports, ask the provider. */
import { type Channel, someChannel } from '../../models/channels.js';
import type { Config } from '../../models/settings/config.js';
import { currentTime, type Database } from '../../models/db/database.js';
import { acceptBatch, type BatchAcceptance } from '../../models/operations/batches/accept-batch.js';
import { acceptMessages } from '../../models/operations/messages/accept-messages.js';
import { applyReports, type GroupState } from '../../models/operations/reports/apply-reports.js';
import { awaitingReports } from '../../models/operations/reports/awaiting-reports.js';
import { batchPages } from '../../models/operations/batches/batch-pages.js';
import { type FallenBack, fallBack } from '../../models/operations/messages/fall-back.js';
import { giveUpOnHandoffs, giveUpOnReports } from '../../models/operations/handoff/give-up.js';
import { providerDeadlineMs } from '../../models/rules/routing/provider-deadline.js';
import { groupState, type GroupWork } from '../../models/operations/messages/group-work.js';
import { openPage } from '../../models/operations/batches/open-page.js';
import { recordReports } from '../../models/operations/reports/record-reports.js';
import { workflowIds } from '../../workflows/contract.js';
import { type UncertainWaits, nextHandoffInMs } from '../../models/operations/handoff/uncertain-handoffs.js';
import { dispatch, type Dispatched, type DispatchOf } from './dispatch.js';
import { withHeartbeat } from '../support/heartbeat.js';
import type { PersistDeps } from '../support/persist.js';
import type { Providers } from './providers/provider.js';
import { RouteHealth } from './route-health.js';
import { callsAgain } from './routing.js';
import { Throughput } from './throughput.js';

export interface MessageDeps extends PersistDeps {
  db: Database;
  config: Pick<
    Config,
    | 'secretKeys'
    | 'reportTimeoutSeconds'
    | 'handoffTimeoutSeconds'
    | 'unknownHandoffSeconds'
    | 'quotas'
    | 'providerLimits'
    | 'routeWindowSeconds'
  >;
  providers: Providers;
  /** Aborted as soon as the worker is told to stop. */
  stopping?: AbortSignal;
  /** How long a call without an outcome may still be under way. */
  leaseSeconds?: number;
}

/** What acceptance tells the workflow: ids and times, nothing else. */
export interface Accepted {
  accepted: string[];
  /** Due deliveries of the group. */
  deliveries: number;
  /** Milliseconds until the group is due. */
  startInMs: number;
  handoffTimeoutMs: number;
  reportTimeoutMs: number;
}

/** Above the time from a claim to the end of its calls. */
const callLeaseSeconds = 15;

const waitsOf = ({ config, providers, leaseSeconds = callLeaseSeconds }: MessageDeps): UncertainWaits => ({
  leaseSeconds,
  unknownSeconds: config.unknownHandoffSeconds,
  repeatable: [...providers.accounts.values()].filter(callsAgain).map(({ name }) => name),
});

/** Hands off what is due of a group. Its rounds share what the process knows of the providers. */
export function dispatcher(deps: MessageDeps): (of: DispatchOf) => Promise<Dispatched> {
  const { db, config, logger, providers } = deps;
  const waits = waitsOf(deps);
  const throughput = new Throughput(db, config.providerLimits, waits);
  const health = new RouteHealth({ db, logger, windowSeconds: config.routeWindowSeconds }, providers.routes);
  return (of) => dispatch({ ...deps, throughput, health, waits, secretKeys: config.secretKeys }, of);
}

/** @param handOff see `dispatcher`; the activities of groups share it */
export function messageActivities(deps: MessageDeps, handOff = dispatcher(deps)) {
  const { db, config, stopping } = deps;
  return {
    /** Local: debits and queues; see `acceptMessages` of the models. */
    async acceptMessages(groupId: string): Promise<Accepted> {
      const { accepted, channel = someChannel, scheduledAt, deliveries } = await acceptMessages(db, groupId);
      return { accepted, deliveries, ...(await times(db, config, { channel, scheduledAt })) };
    },

    /** Local: debits and queues a whole batch. */
    acceptBatch: (batchId: string): Promise<BatchAcceptance> => acceptBatch(db, batchId, config.quotas.openBatches),

    /** Local: ids of the pages of a batch. */
    batchPages: (batchId: string, fromPage: number, limit: number): Promise<string[]> => batchPages(db, batchId, fromPage, limit),

    /** Local: what `acceptMessages` is to a page whose batch is charged: its events, and when it is due. */
    async openPage(groupId: string): Promise<Accepted> {
      const { channel, scheduledAt } = await openPage(db, groupId);
      const { deliveries } = await groupState(db, groupId);
      return { accepted: [], deliveries, ...(await times(db, config, { channel, scheduledAt })) };
    },

    /**
     * Hands the due messages of a group to their providers. What could not be handed over is tried again: by this activity's retry
     * policy, or when a part of the group moved on, by being called again.
     */
    dispatchMessages: (groupId: string, batchId?: string): Promise<Dispatched> =>
      withHeartbeat((signal) => handOff({ groupId, batchId, signal }), stopping),

    /** Local: works off the inbox of a group. */
    applyReports: (groupId: string): Promise<GroupWork> => applyReports(db, groupId),
  };
}

/** The end of waiting: for reports, for a provider. */
export function givingUpActivities(deps: MessageDeps) {
  const { db, providers, stopping } = deps;
  const waits = waitsOf(deps);
  return {
    /** Asks the providers for messages whose report did not come in time, and puts what they say into the inbox. */
    pollReports: (groupId: string): Promise<void> =>
      withHeartbeat(async () => {
        for (const { id, provider, provider_message_id } of await awaitingReports(db, groupId)) {
          // Nobody else knows of it: an account that was taken out of the settings cannot be asked.
          const account = providers.accounts.get(provider);
          const fetched = await account?.fetchStatus(provider_message_id, AbortSignal.timeout(providerDeadlineMs));
          if (fetched) await recordReports(db, [{ ...fetched, provider, provider_message_id, message_id: id }]);
        }
      }, stopping),

    /** Local: the next step of a message's chain, when it is time for it. */
    fallBack: (groupId: string, isDue: boolean): Promise<FallenBack> => fallBack(db, groupId, isDue, workflowIds.message),

    /** Local: the end of waiting for reports. */
    giveUpOnReports: (groupId: string): Promise<GroupState> => giveUpOnReports(db, groupId),

    /** Local: the end of trying to hand off. What may have been taken waits for its report first, and stays queued until then. */
    async giveUpOnHandoffs(groupId: string): Promise<Dispatched> {
      await giveUpOnHandoffs(db, groupId, waits);
      const state = await groupState(db, groupId);
      const retryInMs = state.queued === 0 ? 0 : await nextHandoffInMs(db, groupId, waits);
      return { ...state, more: false, ...(retryInMs > 0 ? { retryInMs } : {}) };
    },
  };
}

/** By the clock of the database, which decides what is due. */
async function times(
  db: Database,
  config: MessageDeps['config'],
  { channel, scheduledAt }: { channel: Channel; scheduledAt: Date | null },
): Promise<Omit<Accepted, 'accepted' | 'deliveries'>> {
  return {
    startInMs: scheduledAt === null ? 0 : Math.max(0, scheduledAt.getTime() - (await currentTime(db)).getTime()),
    handoffTimeoutMs: config.handoffTimeoutSeconds * 1000,
    reportTimeoutMs: config.reportTimeoutSeconds[channel] * 1000,
  };
}
