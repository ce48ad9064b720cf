/** The activities of tests, resends and replays. They do not change a retry schedule that is running. */
import { activityInfo } from '@temporalio/activity';
import type { Database } from '../../models/db/database.js';
import { type DeliveryStatus, deliveryStatuses } from '../../models/tables/delivery.js';
import { leaveToRetriers } from '../../models/operations/deliveries/retriers.js';
import { deliveriesIn } from '../../models/operations/deliveries/due-deliveries.js';
import { type AskedWait, askedWait } from '../../models/operations/deliveries/note-health.js';
import { claimedByReplay, claimReplayed } from '../../models/operations/replays/claim-replayed.js';
import { listReplayable } from '../../models/operations/replays/replay-deliveries.js';
import { isReplayRunning, noteReplayWaits, notYetReplayed, recordReplayPage } from '../../models/operations/replays/replay-progress.js';
import { BatchQueue } from '../../models/flow/batch-queue.js';
import { Tally } from '../../models/flow/tally.js';
import { Webhook } from '../../models/tables/webhook.js';
import type { AttemptInput, ReplayInput, ReplayList, ReplayPageInput, ReplayPageResult } from '../../workflows/contract.js';
import type { Attempts } from './attempts.js';
import type { DeliveryDeps } from './first-attempts.js';
import { withHeartbeat } from '../support/heartbeat.js';
import { DeliverySettler } from './delivery-settler.js';
import { attemptLater } from './attempt-later.js';

/** Deliveries of a replay page. Even if each attempt hangs, the page ends before the watcher counts it as lost. */
const replayedAtOnce = 50;
/** The same for an ordered webhook, whose attempts hang one after the other. */
const replayedInOrder = 5;
/** The same for a webhook with a rate: what it may get in this time. Its retrier and another replay may take turns too. */
const pageSeconds = 10;

/** What may be claimed to start a new retry schedule. Pending: claimed by a worker that died, or held by its webhook meanwhile. */
const restartable: readonly DeliveryStatus[] = ['failed', 'held', 'pending'];

/** A replay that waits for its receiver looks this often whether it was cancelled. */
const waitMsMax = 60_000;

/** Requested attempts of one workspace that run at once in this process. Another one is retried after a second. */
const requestedOfWorkspaceMax = 25;

/** @param attempts the same object for all activities of a thread: it counts the attempts to each endpoint */
export function webhookOperationActivities({ db }: { db: Database }, attempts: Attempts) {
  const requested = new Tally();

  return {
    /** Makes one requested attempt. Only a success changes the status of the delivery; a failed test ends as failed. */
    attemptNow: ({ deliveryId, trigger }: AttemptInput): Promise<void> =>
      withHeartbeat(async () => {
        const isTest = trigger === 'test';
        const [delivery] = await deliveriesIn(db, [deliveryId], isTest ? ['pending'] : deliveryStatuses);
        if (delivery === undefined) return;
        const attempt = () => attempts.attemptInOrder([delivery], { trigger, followsSchedule: isTest });
        const untried = await requested.run(delivery.workspace_id, requestedOfWorkspaceMax, attempt, () => {
          throw attemptLater('TooManyAttempts', 1_000);
        });
        if (untried.length > 0) throw attemptLater('WebhookChanged', 10);
      }),

    /** Lists the next deliveries of a replay. */
    listReplay: (input: ReplayInput): Promise<ReplayList> => withHeartbeat((signal) => listReplay({ db, attempts }, input, signal)),

    /**
     * Attempts deliveries of a replay. A failed or held delivery starts a new retry schedule with this attempt, and the retrier continues it.
     * A succeeded or pending delivery gets one attempt. After the replay was cancelled no further attempt begins.
     */
    replayPage: (input: ReplayPageInput): Promise<ReplayPageResult> => withHeartbeat(() => replayPage({ db, attempts }, input)),
  };
}

async function listReplay(
  { db, attempts }: DeliveryDeps,
  { webhookId, since, until, statuses, after }: ReplayInput,
  signal: AbortSignal,
): Promise<ReplayList> {
  const webhook = await Webhook.findByPk(webhookId);
  const settler = new DeliverySettler(db, webhookId, (page) => attempts.withWorkspaceLimit(page, webhook?.workspace_id));
  while (await settler.onePage()) signal.throwIfAborted(); // what is not settled is in no list
  const range = { webhookId, since: new Date(since), until: new Date(until), statuses };
  const atOnce = webhook?.ordered === true ? replayedInOrder : replayedAtOnce;
  const limit = Math.min(atOnce, Math.ceil((webhook?.rate ?? Number.POSITIVE_INFINITY) * pageSeconds));
  const deliveryIds = await listReplayable(db, range, after ?? null, limit);
  return { deliveryIds, isLast: deliveryIds.length < limit };
}

async function replayPage(deps: DeliveryDeps, page: ReplayPageInput): Promise<ReplayPageResult> {
  const { db } = deps;
  const { replayId, webhookId, deliveryIds, isLast } = page;
  const isRetry = activityInfo().attempt > 1;
  if (await isReplayRunning(db, replayId)) await attemptPage(deps, page, isRetry);
  else if (!isRetry) return { retriers: [], goesOn: false };
  // Also for a replay that was cancelled meanwhile: the deliveries that it has claimed are retried, and count.
  const left = (await claimedByReplay(db, replayId, deliveryIds)).map((id) => ({ id, webhook_id: webhookId }));
  const retriers = await leaveToRetriers(db, { idle: left }, isRetry);
  const status = await recordReplayPage(db, replayId, deliveryIds, isLast);
  return { retriers, goesOn: status === 'running' };
}

async function attemptPage({ db, attempts }: DeliveryDeps, page: ReplayPageInput, isRetry: boolean): Promise<void> {
  const { replayId, webhookId, deliveryIds, isLast, statuses } = page;
  const followsSchedule = statuses.includes('failed') || statuses.includes('held');
  const claims = new BatchQueue((ids: string[]) => claimReplayed(db, replayId, ids, followsSchedule), { maxBatchSize: replayedAtOnce });
  const options = { trigger: 'replay', followsSchedule, replay: { id: replayId, claim: (id: string) => claims.add(id) } } as const;
  // A wait that the receiver asked for before the replay does not delay it.
  const earlier = isRetry ? null : await askedWait(db, webhookId);
  if (isRetry) await throwIfDelayed(db, page, earlier);
  for (let rest: readonly string[] = isRetry ? await notYetReplayed(db, replayId, deliveryIds) : deliveryIds; rest.length > 0; ) {
    const due = await deliveriesIn(db, rest, followsSchedule ? restartable : statuses);
    const atStart = followsSchedule ? due.map((delivery) => ({ ...delivery, ladder_step: 0 })) : due; // where the claim puts it
    rest = (await attempts.attemptInOrder(atStart, options)).map(({ id }) => id);
    if (!(await isReplayRunning(db, replayId))) return;
    if (rest.length > 0 || !isLast) await throwIfDelayed(db, page, earlier);
  }
}

/** @throws ApplicationFailure that repeats the page when the wait is over, or after a minute, if the receiver has asked to wait since `earlier` */
async function throwIfDelayed(db: Database, { replayId, webhookId }: ReplayPageInput, earlier: AskedWait | null): Promise<void> {
  const asked = await askedWait(db, webhookId);
  if (asked === null || asked.until === earlier?.until) return;
  await noteReplayWaits(db, replayId);
  throw attemptLater('ReplayWaits', Math.min(asked.wait_ms, waitMsMax));
}
