/** The activities that deliver events: first attempts of a group, and the attempts of retriers and child workflows. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure, activityInfo } from '@temporalio/activity';
import { beginRetrying, type RetriedWebhook, restRetrier } from '../../models/operations/deliveries/retriers.js';
import { retrierDeliveries, type OwnDelivery, pendingDeliveries } from '../../models/operations/deliveries/due-deliveries.js';
import { countFailed } from '../../models/operations/deliveries/child-deliveries.js';
import { Tally } from '../../models/flow/tally.js';
import { countText } from '../../models/rules/values/text.js';
import { DeliverySettler } from './delivery-settler.js';
import type { DeliverWebhookInput, LeftDeliveries } from '../../workflows/contract.js';
import type { AttemptDeps, Attempts } from './attempts.js';
import { attemptFirst, type DeliveryDeps, type FirstAttemptDeps } from './first-attempts.js';
import { withHeartbeat } from '../support/heartbeat.js';
import { attemptLater } from './attempt-later.js';

/** Deliveries that a retrier reads at once. With a rate: as many as it may send in this time. */
const pageMax = 500;
const pageSeconds = 20;
/** A retrier reads this many while the endpoint is not known as healthy: most likely only the first message is attempted, and fails. */
const firstPageMax = 16;
/** One call of a retrier begins no attempt later than this, well below its timeout: another call would begin beside it. */
const retrierMsMax = 60_000;
/** A retrier waits itself for deliveries that are due within this time. */
const soonMs = 500;
/** Poll interval while attempts are in flight; doubles up to the maximum. */
const lookAgainMs = { min: 100, max: 1_000 };
/**
 * At most this many retriers, and attempts of deliveries with workflows of their own, of one workspace run in this process at once: a fifth of its
 * slots. One above it fails and is repeated after 1 s, 2 s, … up to a minute.
 */
const runningOfWorkspace = 100;
const putOff = (): never => {
  throw attemptLater('TooManyAttempts', 1_000 * Math.min(activityInfo().attempt, 60));
};
/** How soon a delivery behind an earlier event is checked again; doubles up to the maximum. */
const behindLookMs = { min: 20, max: 2_000 };

export interface WebhookDeps extends AttemptDeps {
  stopping?: AbortSignal;
  config: AttemptDeps['config'] & FirstAttemptDeps['config'];
}

/** @param attempts the same object for all activities of a thread: it counts the attempts to each endpoint */
export function webhookActivities(deps: WebhookDeps, attempts: Attempts) {
  const { db, config, stopping } = deps;
  const running = new Tally();

  return {
    /** Makes the first attempts of a group's due deliveries; see `attemptFirst`. */
    deliverEvents: (groupId: string): Promise<LeftDeliveries> =>
      withHeartbeat((signal) => attemptFirst({ db, config, attempts }, groupId, { retakesLeft: activityInfo().attempt > 1, signal })),

    /**
     * Attempts the due deliveries of a webhook, page by page.
     * @returns milliseconds until the next call is due; null when no delivery is pending
     */
    runRetrier: (webhookId: string): Promise<number | null> =>
      withHeartbeat((signal) => runRetrier({ db, attempts, running }, webhookId, signal), stopping),

    /**
     * Attempts those deliveries that are due and not behind an earlier event of their message. While some are pending, the activity fails with
     * the delay until the next one is due, so that Temporal's retry timer follows the retry schedule. It fails for good when a delivery has
     * used up its schedule, so that operators see it.
     */
    retryDeliveries: ({ deliveryIds }: DeliverWebhookInput): Promise<void> =>
      withHeartbeat(async () => {
        const due = (await pendingDeliveries(db, deliveryIds)).filter(({ is_due, is_behind }) => is_due && !is_behind);
        const workspaceId = due[0]?.workspace_id ?? '';
        await running.run(workspaceId, runningOfWorkspace, () => attempts.retry(due), putOff);
        const waiting = await pendingDeliveries(db, deliveryIds);
        if (waiting.length > 0) throw notYet(waiting);
        const failed = await countFailed(db, deliveryIds);
        if (failed > 0)
          throw ApplicationFailure.nonRetryable(`${failed} of ${deliveriesText(deliveryIds.length)} failed for good`, 'DeliveriesFailed');
      }),
  };
}

const deliveriesText = (count: number) => countText(count, 'delivery', 'deliveries');

async function runRetrier(
  { running, ...deps }: DeliveryDeps & { running: Tally },
  webhookId: string,
  signal: AbortSignal,
): Promise<number | null> {
  const webhook = await deps.attempts.withWorkspaceLimit(
    () => beginRetrying(deps.db, webhookId),
    activityInfo().priority?.fairnessKey ?? webhookId,
  );
  if (webhook === undefined) return null;
  const attempt = () => attemptDue(deps, webhook, webhookId, signal);
  return running.run<number | null>(webhook.workspace_id, runningOfWorkspace, attempt, () => lookAgainMs.max);
}

async function attemptDue(
  { db, attempts }: DeliveryDeps,
  webhook: RetriedWebhook,
  webhookId: string,
  signal: AbortSignal,
): Promise<number | null> {
  const page = webhook.rate === null ? pageMax : Math.min(pageMax, Math.ceil(webhook.rate * pageSeconds));
  const until = performance.now() + retrierMsMax;
  const settler = new DeliverySettler(db, webhookId, (page) => attempts.withWorkspaceLimit(page, webhook.workspace_id));
  let pauseMs = lookAgainMs.min;
  let hasSettled = false;
  while (performance.now() < until && !signal.aborted) {
    const settling = await settler.onePage();
    if (settling?.isActive === false) continue;
    const limit = hasSettled || attempts.health.isHealthy(webhookId) ? page : Math.min(page, firstPageMax);
    const due = await attempts.withWorkspaceLimit(() => retrierDeliveries(db, webhookId, webhook.ordered, limit), webhook.workspace_id);
    // The owner has changed the webhook: this page was read in the wrong order or size. The next call reads the webhook again.
    if (due[0] !== undefined && (due[0].ordered !== webhook.ordered || due[0].rate !== webhook.rate)) return 0;
    hasSettled = await attempts.retry(due, { signal, until });
    if (settling !== null || due.length > 0) {
      pauseMs = lookAgainMs.min;
      continue;
    }
    const { waitMs, ordered } = await attempts.withWorkspaceLimit(() => restRetrier(db, webhookId), webhook.workspace_id);
    if (waitMs === null || waitMs > soonMs) return waitMs;
    if (ordered !== webhook.ordered) return 0; // in the old order nothing was due
    await sleep(Math.max(pauseMs, waitMs));
    pauseMs = Math.min(2 * pauseMs, lookAgainMs.max);
  }
  return 0;
}

/** A delivery behind another event is looked at again soon, because most first attempts take milliseconds. */
function notYet(waiting: readonly OwnDelivery[]): ApplicationFailure {
  const behindMs = Math.min(behindLookMs.min * 2 ** (activityInfo().attempt - 1), behindLookMs.max);
  const waits = waiting.map(({ wait_ms, is_behind }) => (is_behind ? Math.max(wait_ms, behindMs) : wait_ms));
  return ApplicationFailure.create({
    type: 'DeliveriesPending',
    message: `waiting for the next attempt: ${deliveriesText(waiting.length)}`,
    nextRetryDelay: Math.max(10, Math.ceil(Math.min(...waits))),
  });
}
