/**
 * The watcher's repairs: each activity finds one kind of work that nobody drives, and starts what drives it. They are independent of each
 * other, may run twice and beside each other, and go on in the next round where the time of one was up.
 */
import { noteRepairs } from '../../models/metrics/observe.js';
import type { Logger } from '../../models/process/logger.js';
import { leaveToCarriers } from '../../models/operations/webhooks/carried-deliveries.js';
import { claimOverdue } from '../../models/operations/webhooks/claim-overdue.js';
import { fallBack } from '../../models/operations/messages/fall-back.js';
import { type OverdueFallback, overdueFallbacks } from '../../models/operations/messages/fallback-chain.js';
import {
  lostCarriers,
  type OverdueDelivery,
  overdueDeliveries,
  pageOfStuck,
  takeUnsentMails,
  unwokenGroups,
} from '../../models/operations/watch/find-stuck.js';
import { type DueBatch, lookAtBatchSoon, noteTold, settleBatch, takeDueBatches } from '../../models/operations/watch/look-at-batches.js';
import { queuedPages } from '../../models/operations/watch/look-at-groups.js';
import type { Wake } from '../../models/operations/reports/record-reports.js';
import { type StuckReplay, stuckReplays } from '../../models/operations/webhooks/replay-progress.js';
import { workspaceOfWebhook } from '../../models/operations/webhooks/workspace-of-webhook.js';
import { unsettledWebhooks } from '../../models/operations/webhooks/settle-deliveries.js';
import { workflowIds } from '../../workflows/contract.js';
import { eachOf, inPages } from './repair-pages.js';
import { type RepairDeps, repairGroups } from './repair-groups.js';

/** Longer than any step takes by itself, so that nothing that is being driven is found. */
const graceSeconds = 60;
/** How long an activity takes pages: below its time-out, and below the time between two rounds. */
const sliceMs = 20_000;

export function repairActivities(deps: RepairDeps) {
  return { ...messageRepairs(deps), ...otherRepairs(deps) };
}

function messageRepairs(deps: RepairDeps) {
  const { db, logger, starts } = deps;
  return {
    /** Groups of messages: driven on, decided, closed or fenced. */
    repairGroups: (): Promise<void> => repairGroups(deps, sliceMs),

    /** Reports in the inbox that nobody has applied. */
    repairReports: (): Promise<void> =>
      repairEach<Wake>(deps, 'reports', {
        find: (after) => unwokenGroups(db, graceSeconds / 2, after?.groupId),
        work: (wake) => starts.wake(wake),
      }),

    /** Batches that nobody decided on or completed, and pages that may not know that theirs was resumed or cancelled. */
    async repairBatches(): Promise<void> {
      await inPages<DueBatch>(sliceMs, pageOfStuck, async () => {
        const batches = await takeDueBatches(db, pageOfStuck);
        const { failed } = await eachOf(logger, 'batches', batches, (batch) => repairBatch(deps, batch));
        for (const { id } of failed) await lookAtBatchSoon(db, id);
        return batches;
      });
    },

    /** Messages whose next step should have begun. */
    repairFallbacks: (): Promise<void> =>
      repairEach<OverdueFallback>(deps, 'fallbacks', {
        find: (after) => overdueFallbacks(db, graceSeconds, after),
        work: async ({ groupId }) => {
          const { next } = await fallBack(db, groupId, true, workflowIds.message);
          if (next !== null) await starts.nextStep(next, groupId);
        },
      }),
  };
}

function otherRepairs(deps: RepairDeps) {
  const { db, logger, starts } = deps;
  const wakeCarrier = async (webhookId: string) => starts.carrier(webhookId, await workspaceOfWebhook(db, webhookId));
  return {
    /** Deliveries that nobody attempts, and carriers that are gone. */
    async repairDeliveries(): Promise<void> {
      const count = await inPages<OverdueDelivery>(sliceMs / 2, pageOfStuck, async (after) => {
        const found = await overdueDeliveries(db, graceSeconds, after);
        const left = await claimOverdue(db, found, graceSeconds);
        await eachOf(logger, 'carriers', await leaveToCarriers(db, { left }, false), wakeCarrier);
        return found;
      });
      tell(logger, 'deliveries', count);
      await repairEach<string>(deps, 'carriers', {
        find: (after) => lostCarriers(db, graceSeconds, after),
        work: wakeCarrier,
      });
      await repairEach<string>(deps, 'webhooks that changed', {
        find: (after) => unsettledWebhooks(db, pageOfStuck, after),
        work: wakeCarrier,
      });
    },

    /** Replays that do not move. */
    repairReplays: (): Promise<void> =>
      repairEach<StuckReplay>(deps, 'replays', {
        find: (after) => stuckReplays(db, 3 * graceSeconds, after?.replayId),
        work: (replay) => starts.replay(replay),
      }),

    /** Mails that were not sent. */
    repairMails: (): Promise<void> =>
      repairEach<string>(deps, 'mails', { find: () => takeUnsentMails(db), work: (mailId) => starts.mail(mailId) }),
  };
}

interface Repair<Item> {
  /** The next page, after an item. */
  find: (after: Item | undefined) => Promise<Item[]>;
  work: (item: Item) => Promise<unknown>;
}

/** Works through the pages of one kind; an item that fails is found again by the next round. */
async function repairEach<Item>({ logger }: RepairDeps, what: string, { find, work }: Repair<Item>): Promise<void> {
  const count = await inPages<Item>(sliceMs, pageOfStuck, async (after) => {
    const items = await find(after);
    await eachOf(logger, what, items, work);
    return items;
  });
  tell(logger, what, count);
}

function tell(logger: Logger, what: string, count: number): void {
  noteRepairs(what, count);
  if (count > 0) logger.warn({ [what]: count }, 'repaired what was stuck');
}

/** A page whose workflow is gone is started, one that runs is told. */
async function repairBatch({ db, starts }: RepairDeps, batch: DueBatch): Promise<void> {
  if (!(await settleBatch(db, batch))) return;
  for (const page of await queuedPages(db, batch.id)) if (!(await starts.group(page))) await starts.batchChanged(page.workflowId);
  await noteTold(db, batch);
}
