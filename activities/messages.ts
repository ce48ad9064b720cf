/** The activities of the message's way: accept, hand off, apply reports, ask the provider. */
import { ApplicationFailure } from '@temporalio/activity';
import type { Config } from '../models/config.js';
import type { Database } from '../models/database.js';
import { acceptMessages } from '../models/operations/accept-messages.js';
import { applyReports, type GroupState } from '../models/operations/apply-reports.js';
import { awaitingReports } from '../models/operations/awaiting-reports.js';
import { claimHandoffs } from '../models/operations/claim-handoffs.js';
import { giveUpOnHandoffs, giveUpOnReports } from '../models/operations/give-up.js';
import { groupState, type GroupWork } from '../models/operations/group-work.js';
import { recordHandoffs } from '../models/operations/record-handoffs.js';
import { recordReports } from '../models/operations/record-reports.js';
import { handOff } from './hand-off.js';
import { withHeartbeat } from './heartbeat.js';
import type { Providers } from './providers/provider.js';

export interface MessageDeps {
  db: Database;
  config: Pick<Config, 'reportTimeoutSeconds' | 'handoffTimeoutSeconds'>;
  providers: Providers;
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

const providerDeadlineMs = 10_000;
const handoffsAtOnce = 20;

export function messageActivities({ db, config, providers }: MessageDeps) {
  return {
    /** Local: debits and queues; see `acceptMessages` of the models. */
    async acceptMessages(groupId: string): Promise<Accepted> {
      const { accepted, channel = 'sms', scheduledAt } = await acceptMessages(db, groupId);
      const { deliveries } = accepted.length === 0 ? { deliveries: 0 } : await groupState(db, groupId);
      return {
        accepted,
        deliveries,
        startInMs: scheduledAt === null ? 0 : Math.max(0, scheduledAt.getTime() - Date.now()),
        handoffTimeoutMs: config.handoffTimeoutSeconds * 1000,
        reportTimeoutMs: config.reportTimeoutSeconds[channel] * 1000,
      };
    },

    /**
     * Hands the due messages of a group to their providers. What could not be handed over is tried again: by this activity's retry
     * policy, or when a part of the group moved on, by being called again (`retry`).
     */
    dispatchMessages: (groupId: string): Promise<GroupWork> =>
      withHeartbeat(async () => {
        const names = Object.fromEntries(Object.entries(providers).map(([channel, { name }]) => [channel, name]));
        const claims = await claimHandoffs(db, groupId, names);
        let settled = 0;
        let retryAfterMs = 0;
        for (let start = 0; start < claims.length; start += handoffsAtOnce) {
          const round = claims.slice(start, start + handoffsAtOnce);
          const handoffs = await Promise.all(round.map((claim) => handOff(providers[claim.channel], claim, AbortSignal.timeout(providerDeadlineMs))));
          await recordHandoffs(db, handoffs.map(({ result }) => result));
          settled += handoffs.filter(({ result }) => result.outcome === 'accepted' || result.outcome === 'rejected').length;
          retryAfterMs = Math.max(retryAfterMs, ...handoffs.map((handoff) => handoff.retryAfterMs));
        }
        if (settled === 0 && claims.length > 0) throw notHandedOff(retryAfterMs);
        return groupState(db, groupId);
      }),

    /** Local: works off the inbox of a group. */
    async applyReports(groupId: string): Promise<GroupWork> {
      const { open } = await applyReports(db, groupId);
      return { ...(await groupState(db, groupId)), open };
    },

    /** Asks the providers for messages whose report did not come in time, and puts what they say into the inbox. */
    pollReports: (groupId: string): Promise<void> =>
      withHeartbeat(async () => {
        for (const { id, channel, provider_message_id } of await awaitingReports(db, groupId)) {
          const provider = providers[channel];
          const fetched = await provider.fetchStatus(provider_message_id, AbortSignal.timeout(providerDeadlineMs));
          if (fetched !== null) await recordReports(db, [{ ...fetched, provider: provider.name, provider_message_id, message_id: id }]);
        }
      }),

    /** Local: the end of waiting for reports. */
    giveUpOnReports: (groupId: string): Promise<GroupState> => giveUpOnReports(db, groupId),

    /** Local: the end of trying to hand off. */
    async giveUpOnHandoffs(groupId: string): Promise<GroupWork> {
      await giveUpOnHandoffs(db, groupId);
      return groupState(db, groupId);
    },
  };
}

function notHandedOff(retryAfterMs: number): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'NotHandedOff',
    message: 'the provider took none of the messages',
    ...(retryAfterMs > 0 ? { nextRetryDelay: retryAfterMs } : {}),
  });
}
