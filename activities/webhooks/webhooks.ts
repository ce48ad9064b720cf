/** The activities that deliver events: first attempts of a group, and what carriers and child workflows attempt afterwards. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure, activityInfo } from '@temporalio/activity';
import type { Database } from '../../models/db/database.js';
import { beginCarrying, type Carriage, restCarrier } from '../../models/operations/webhooks/carried-deliveries.js';
import { carriedDeliveries, type OwnDelivery, pendingDeliveries } from '../../models/operations/webhooks/due-deliveries.js';
import { countFailed } from '../../models/operations/watch/own-workflows.js';
import { Tally } from '../../models/flow/tally.js';
import { Settling } from './settling.js';
import type { DeliverWebhookInput, LeftDeliveries } from '../../workflows/contract.js';
import { type AttemptDeps, Attempts } from './attempts.js';
import { attemptFirst, type FirstAttemptDeps } from './first-attempts.js';
import { withHeartbeat } from '../support/heartbeat.js';

/** Deliveries that a carrier reads at once; with a rate, as many as go out in this time. */
const pageMax = 500;
const pageSeconds = 20;
/** One call of a carrier works so long at most, and waits for what is due so soon. */
const carryMsMax = 60_000;
const soonMs = 500;
/** So soon again where something is due and waits for what is under way; the longer that takes, the more seldom. */
const lookAgainMs = { least: 100, most: 1_000 };
/** Carriers of one workspace that work at once in this process: a fifth of its places for them. One more looks again a moment later. */
const carriersOfWorkspace = 100;
const behindLookMs = { least: 20, most: 2_000 };

export interface WebhookDeps extends AttemptDeps {
  stopping?: AbortSignal;
  config: AttemptDeps['config'] & FirstAttemptDeps['config'];
}

/** @param attempts those of the process: how much is under way to an endpoint is counted there */
export function webhookActivities(deps: WebhookDeps, attempts = new Attempts(deps)) {
  const { db, config, stopping } = deps;
  const carriers = new Tally();

  return {
    /** First attempts of what is due for a group; see `attemptFirst`. */
    deliverEvents: (groupId: string): Promise<LeftDeliveries> =>
      withHeartbeat(() => attemptFirst({ db, config, attempts }, groupId, { again: activityInfo().attempt > 1 })),

    /**
     * Attempts what is due to a webhook, page after page.
     * @returns milliseconds until it has to be called again; null when nothing waits any more
     */
    carryDeliveries: (webhookId: string): Promise<number | null> =>
      withHeartbeat((signal) => carry({ db, attempts, carriers }, webhookId, signal), stopping),

    /**
     * The due ones of these deliveries, each after the earlier events of its message. While some are pending this activity fails with the delay until the next is due, so that
     * the server's retry timer carries the ladder; when one has used up its ladder it fails for good, for operators to see.
     */
    retryDeliveries: ({ deliveryIds }: DeliverWebhookInput): Promise<void> =>
      withHeartbeat(async () => {
        await attempts.carry((await pendingDeliveries(db, deliveryIds)).filter(({ is_due, is_behind }) => is_due && !is_behind));
        const waiting = await pendingDeliveries(db, deliveryIds);
        if (waiting.length > 0) throw notYet(waiting);
        const failed = await countFailed(db, deliveryIds);
        if (failed > 0)
          throw ApplicationFailure.nonRetryable(`${failed} of ${deliveryIds.length} deliveries failed for good`, 'DeliveriesFailed');
      }),
  };
}

async function carry(
  { carriers, ...deps }: CarryDeps & { carriers: Tally },
  webhookId: string,
  signal: AbortSignal,
): Promise<number | null> {
  const carriage = await deps.attempts.inTurn(() => beginCarrying(deps.db, webhookId), webhookId);
  if (carriage === undefined) return null;
  if (carriers.of(carriage.workspace_id) >= carriersOfWorkspace) return lookAgainMs.most;
  carriers.add(carriage.workspace_id);
  try {
    return await carryFor(deps, carriage, webhookId, signal);
  } finally {
    carriers.remove(carriage.workspace_id);
  }
}

interface CarryDeps {
  db: Database;
  attempts: Attempts;
}

async function carryFor({ db, attempts }: CarryDeps, carriage: Carriage, webhookId: string, signal: AbortSignal): Promise<number | null> {
  const page = carriage.rate === null ? pageMax : Math.min(pageMax, Math.ceil(carriage.rate * pageSeconds));
  const until = Date.now() + carryMsMax;
  const settling = new Settling(db, webhookId);
  let pauseMs = lookAgainMs.least;
  while (Date.now() < until && !signal.aborted) {
    const isSettling = await settling.onePage();
    if (isSettling && !carriage.is_active) continue;
    const due = await attempts.inTurn(() => carriedDeliveries(db, webhookId, carriage.ordered, page), carriage.workspace_id);
    await attempts.carry(due, signal);
    if (isSettling || due.length > 0) {
      pauseMs = lookAgainMs.least;
      continue;
    }
    const waitMs = await attempts.inTurn(() => restCarrier(db, webhookId), carriage.workspace_id);
    if (waitMs === null || waitMs > soonMs) return waitMs;
    await sleep(Math.max(pauseMs, waitMs));
    pauseMs = Math.min(2 * pauseMs, lookAgainMs.most);
  }
  return 0;
}

/** One that is behind another event looks again soon: most first attempts take milliseconds. */
function notYet(waiting: readonly OwnDelivery[]): ApplicationFailure {
  const behindMs = Math.min(behindLookMs.least * 2 ** (activityInfo().attempt - 1), behindLookMs.most);
  const waits = waiting.map(({ wait_ms, is_behind }) => (is_behind ? Math.max(wait_ms, behindMs) : wait_ms));
  return ApplicationFailure.create({
    type: 'DeliveriesPending',
    message: `${waiting.length} deliveries are waiting for their next attempt`,
    nextRetryDelay: Math.max(10, Math.ceil(Math.min(...waits))),
  });
}
