/** The activities behind what owners ask for: tests, resends, replays. None of them touches a ladder that is running. */
import { ApplicationFailure, activityInfo } from '@temporalio/activity';
import { deliveryStatuses } from '../../models/tables/delivery.js';
import { leaveToCarriers } from '../../models/operations/webhooks/carried-deliveries.js';
import { deliveriesIn } from '../../models/operations/webhooks/due-deliveries.js';
import { listReplayable, requeueDeliveries } from '../../models/operations/webhooks/replay-deliveries.js';
import { isReplayRunning, notYetReplayed, recordReplayPage } from '../../models/operations/webhooks/replay-progress.js';
import { Tally } from '../../models/flow/tally.js';
import { Webhook } from '../../models/tables/webhook.js';
import type { AttemptInput, ReplayInput, ReplayList, ReplayPageInput, ReplayPageResult } from '../../workflows/contract.js';
import { type AttemptDeps, Attempts } from './attempts.js';
import { withHeartbeat } from '../support/heartbeat.js';
import { Settling } from './settling.js';

/** Deliveries of a page of a replay. When each of them hangs, the page still ends before the watcher takes it for lost. */
const replayedAtOnce = 50;
/** The same where they hang one after the other. */
const replayedInOrder = 5;

/** Attempts that one workspace asked for and that are under way in this process; one more gives up its place for a moment. */
const askedOfWorkspace = 25;
const laterOn = () =>
  ApplicationFailure.create({ type: 'TooManyAttempts', message: 'the workspace has too many attempts under way', nextRetryDelay: 1_000 });

export function webhookOperationActivities(deps: AttemptDeps) {
  const { db } = deps;
  const attempts = new Attempts(deps);
  const asked = new Tally();

  return {
    /** One attempt that somebody asked for. Only its success moves the delivery; a test that fails has failed. */
    attemptNow: ({ deliveryId, trigger }: AttemptInput): Promise<void> =>
      withHeartbeat(async () => {
        const isTest = trigger === 'test';
        const [delivery] = await deliveriesIn(db, isTest ? ['pending'] : deliveryStatuses, [deliveryId]);
        if (delivery === undefined) return;
        const { workspace_id: workspaceId } = delivery;
        if (asked.of(workspaceId) >= askedOfWorkspace) throw laterOn();
        asked.add(workspaceId);
        await attempts.toEndpoint([delivery], { trigger, ladder: isTest }).finally(() => asked.remove(workspaceId));
      }),

    /** The next deliveries of a replay. */
    listReplay: ({ webhookId, since, until, statuses, after }: ReplayInput): Promise<ReplayList> =>
      withHeartbeat(async (signal) => {
        const settling = new Settling(db, webhookId);
        while (!signal.aborted && (await settling.onePage()));
        const range = { webhookId, since: new Date(since), until: new Date(until), statuses };
        const limit = (await Webhook.findByPk(webhookId))?.ordered === true ? replayedInOrder : replayedAtOnce;
        const deliveryIds = await listReplayable(db, range, after ?? null, limit);
        return { deliveryIds, isLast: deliveryIds.length < limit };
      }),

    /**
     * Attempts deliveries of a replay. What was failed or held gets a new ladder, whose first attempt this is; what succeeded or
     * has a ladder already gets this attempt and no more. What fails on its new ladder is the carrier's from then on. Nothing is attempted once the replay was cancelled.
     */
    replayPage: ({ replayId, webhookId, deliveryIds, isLast, statuses }: ReplayPageInput): Promise<ReplayPageResult> =>
      withHeartbeat(async () => {
        if (!(await isReplayRunning(db, replayId))) return { carriers: [], goesOn: false };
        const ladder = statuses.includes('failed') || statuses.includes('held');
        const again = activityInfo().attempt > 1;
        const open = again ? await notYetReplayed(db, replayId, deliveryIds) : deliveryIds;
        const ids = ladder ? await requeueDeliveries(db, deliveryIds, again) : open;
        const due = await deliveriesIn(db, ladder ? ['pending'] : statuses, ids);
        await attempts.toEndpoint(due, { trigger: 'replay', ladder });
        const left = !ladder ? [] : (again ? deliveryIds : ids).map((id) => ({ id, webhook_id: webhookId }));
        const carriers = await leaveToCarriers(db, { left }, again);
        const status = await recordReplayPage(db, replayId, deliveryIds, isLast);
        return { carriers, goesOn: status === 'running' };
      }),
  };
}
