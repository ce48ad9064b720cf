/**
 * The watcher's repairs. Each activity finds one kind of work without a workflow, and starts one. The activities are independent, may run
 * twice or in parallel, and continue in the next run when the time of a run is over.
 */
import { workMetrics } from '../../models/metrics/catalogue.js';
import type { Logger } from '../../models/process/logger.js';
import { leaveOverdue } from '../../models/operations/deliveries/retriers.js';
import { fallBack } from '../../models/operations/messages/fall-back.js';
import { type OverdueFallback, overdueFallbacks } from '../../models/operations/messages/fallback-chain.js';
import {
  lostRetriers,
  type OverdueDelivery,
  overdueDeliveries,
  repairPageSize,
  takeUnsentMails,
  unwokenGroups,
} from '../../models/operations/watch/overdue-work.js';
import {
  type DueBatch,
  checkBatchSoon,
  notePagesNotified,
  settleBatch,
  takeDueBatches,
} from '../../models/operations/watch/due-batches.js';
import { queuedPages } from '../../models/operations/watch/due-groups.js';
import type { Wake } from '../../models/operations/reports/record-reports.js';
import { type OverdueReplay, overdueReplays } from '../../models/operations/replays/replay-progress.js';
import { workspaceOfWebhook } from '../../models/operations/webhooks/workspace-of-webhook.js';
import { unsettledWebhooks } from '../../models/operations/deliveries/settle-deliveries.js';
import { workflowIds } from '../../workflows/contract.js';
import { eachOf, workInPages, repairFailure } from './repair-pages.js';
import { type RepairDeps, repairGroups } from './repair-groups.js';

/** Longer than any step takes, so that no work is found that a workflow drives. */
const graceSeconds = 60;
/** After this time an activity begins only the first page of a kind. Below its timeout and the time between two runs. */
const sliceMs = 20_000;
const sliceEnd = () => Date.now() + sliceMs;

export function repairActivities(deps: RepairDeps) {
  return { ...messageRepairs(deps), ...otherRepairs(deps) };
}

function messageRepairs(deps: RepairDeps) {
  const { db, logger, starts } = deps;
  return {
    /** Groups of messages: starts, gives up on missing reports, closes or fences them. */
    repairGroups: (): Promise<void> => repairGroups(deps, sliceEnd()),

    /** Reports in the inbox that were not applied: wakes the workflow of their group. */
    repairReports: (): Promise<void> =>
      repairEach<Wake>(deps, sliceEnd(), 'reports', {
        find: (after) => unwokenGroups(db, graceSeconds / 2, after?.groupId),
        work: (wake) => starts.wakeGroup(wake),
      }),

    /** Batches that were not decided or completed, and pages that may have missed that their batch was resumed or cancelled. */
    async repairBatches(): Promise<void> {
      await workInPages<DueBatch>(sliceEnd(), repairPageSize, async () => {
        const batches = await takeDueBatches(db, repairPageSize);
        const { failed } = await eachOf(logger, repairFailure('batches'), batches, (batch) => repairBatch(deps, batch));
        for (const { id } of failed) await checkBatchSoon(db, id);
        return batches;
      });
    },

    /** Messages whose fallback step is overdue. */
    repairFallbacks: (): Promise<void> =>
      repairEach<OverdueFallback>(deps, sliceEnd(), 'fallbacks', {
        find: (after) => overdueFallbacks(db, graceSeconds, after),
        work: async ({ groupId }) => {
          const { next } = await fallBack(db, groupId, true, workflowIds.message);
          if (next !== null) await starts.startNextStep(next, groupId);
        },
      }),
  };
}

function otherRepairs(deps: RepairDeps) {
  const { db, logger, starts } = deps;
  const wakeRetrier = async (webhookId: string) => starts.wakeRetrier(webhookId, await workspaceOfWebhook(db, webhookId));
  return {
    /** Deliveries without an attempt, and webhooks whose retrier does not run. */
    async repairDeliveries(): Promise<void> {
      const until = sliceEnd();
      // Half of the time, so that many overdue deliveries leave time for the others.
      const count = await workInPages<OverdueDelivery>(until - sliceMs / 2, repairPageSize, async (after) => {
        const found = await overdueDeliveries(db, graceSeconds, after);
        await eachOf(logger, repairFailure('retriers'), await leaveOverdue(db, found, graceSeconds), wakeRetrier);
        return found;
      });
      noteRepairs(logger, 'deliveries', count);
      await repairEach<string>(deps, until, 'retriers', {
        find: (after) => lostRetriers(db, graceSeconds, after),
        work: wakeRetrier,
      });
      await repairEach<string>(deps, until, 'webhooks that changed', {
        find: (after) => unsettledWebhooks(db, repairPageSize, after),
        work: wakeRetrier,
      });
    },

    /** Replays without progress. */
    repairReplays: (): Promise<void> =>
      repairEach<OverdueReplay>(deps, sliceEnd(), 'replays', {
        find: (after) => overdueReplays(db, 3 * graceSeconds, after?.replayId),
        work: (replay) => starts.startReplay(replay),
      }),

    /** Mails without a workflow. Those about an operator's command, a webhook's failures or a low balance are started only here. */
    repairMails: (): Promise<void> =>
      repairEach<string>(deps, sliceEnd(), 'mails', {
        find: () => takeUnsentMails(db),
        work: (mailId) => starts.startMail(mailId),
        isUsual: true,
      }),
  };
}

interface Repair<Item> {
  /** Reads the page after an item. */
  find: (after: Item | undefined) => Promise<Item[]>;
  work: (item: Item) => Promise<unknown>;
  /** Finding such items is no sign of a fault. */
  isUsual?: boolean;
}

/** Repairs all items of one kind, page by page. The next run finds an item that fails again, and those that are left at `until`. */
async function repairEach<Item>({ logger }: RepairDeps, until: number, what: string, { find, work, isUsual }: Repair<Item>): Promise<void> {
  const count = await workInPages<Item>(until, repairPageSize, async (after) => {
    const items = await find(after);
    await eachOf(logger, repairFailure(what), items, work);
    return items;
  });
  noteRepairs(logger, what, count, isUsual);
}

function noteRepairs(logger: Logger, what: string, count: number, isUsual = false): void {
  workMetrics.repairs.inc({ what }, count);
  if (count === 0) return;
  if (isUsual) logger.info({ [what]: count }, 'started work that waited for the watcher');
  else logger.warn({ [what]: count }, 'repaired overdue work');
}

/** Starts the pages whose workflow is gone, and signals those that run. */
async function repairBatch({ db, starts }: RepairDeps, batch: DueBatch): Promise<void> {
  const isChanged = await settleBatch(db, batch);
  if (batch.status === 'accepting') workMetrics.repairs.inc({ what: 'batches fenced' });
  if (!isChanged) return;
  for (const page of await queuedPages(db, batch.id)) {
    const isNew = await starts.startGroup(page);
    if (isNew) workMetrics.repairs.inc({ what: 'pages started' });
    else await starts.notifyPage(page.workflowId);
  }
  await notePagesNotified(db, batch);
}
