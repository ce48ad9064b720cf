/** First attempts of a group's events: made here, or left to retriers and child workflows. */
import { ApplicationFailure } from '@temporalio/activity';
import type { Config } from '../../models/settings/config.js';
import type { Database } from '../../models/db/database.js';
import { leaveToRetriers } from '../../models/operations/deliveries/retriers.js';
import { type DueDelivery, type FirstDelivery, firstDeliveries } from '../../models/operations/deliveries/due-deliveries.js';
import { leaveToChild } from '../../models/operations/deliveries/child-deliveries.js';
import type { LeftDeliveries } from '../../workflows/contract.js';
import type { Attempts } from './attempts.js';

/** The dependencies of retriers and replays. */
export interface DeliveryDeps {
  db: Database;
  attempts: Attempts;
}

export interface FirstAttemptDeps extends DeliveryDeps {
  config: Pick<Config, 'webhookFirstAttempt'>;
}

/** Options of the first attempts of a group. */
export interface FirstAttemptOptions {
  /** Include deliveries that an earlier call left to other workflows, because it may have died before these were started. */
  retakesLeft: boolean;
  /** Set for a driven group; see `Attempts.attemptFirstRound`. */
  ownConcurrency?: number;
  /** Aborted when the activity has to end. Then no round begins: another worker may have made the attempts that were read. */
  signal: AbortSignal;
}

/**
 * Makes the first attempts of all due deliveries of a group: the events of a webhook in order, webhooks in parallel.
 * @returns workflows to start: retriers for deliveries that were not acknowledged or not tried, or child workflows if the operator has
 * configured one for each event
 */
export async function attemptFirst(
  { db, config, attempts }: FirstAttemptDeps,
  groupId: string,
  { retakesLeft, ownConcurrency, signal }: FirstAttemptOptions,
): Promise<LeftDeliveries> {
  const due = await firstDeliveries(db, groupId, retakesLeft);
  if (signal.aborted) throw ApplicationFailure.retryable('The activity had to end before its first attempt', 'Ended');
  const [first] = due;
  const leave: Leave = (remaining) => attempts.withWorkspaceLimit(() => leaveToRetriers(db, remaining, retakesLeft), first?.workspace_id);
  const left =
    config.webhookFirstAttempt === 'inline'
      ? { children: [], retriers: await leave(await attempts.attemptFirstRound(due, ownConcurrency)) }
      : await leaveAll(db, due, retakesLeft, leave);
  return { ...left, ...workspacesOf(left, due) };
}

/** Leaves deliveries to retriers. Waits for the turn of their workspace. */
type Leave = (left: Parameters<typeof leaveToRetriers>[1]) => Promise<string[]>;

/** The workspaces of the webhooks whose workflows have to be started. */
function workspacesOf({ children, retriers }: LeftDeliveries, due: readonly DueDelivery[]): Pick<LeftDeliveries, 'workspaces'> {
  const started = new Set([...retriers, ...children.map(({ webhookId }) => webhookId)]);
  if (started.size === 0) return {};
  const owned = due.flatMap(({ webhook_id, workspace_id }) => (started.has(webhook_id) ? [[webhook_id, workspace_id] as const] : []));
  return { workspaces: Object.fromEntries(owned) };
}

/** Deliveries that one round leaves to children. The limit keeps the result small, because the workflow's history stores it. */
const leftAtOnce = 500;

/** With a child workflow for each event: leaves each delivery to a child, or to the retrier that owns it or limits the rate of its webhook. */
async function leaveAll(db: Database, all: FirstDelivery[], retakesLeft: boolean, leave: Leave): Promise<LeftDeliveries> {
  // After a retry all are returned: those that the earlier call marked cannot be distinguished from older ones.
  const due = retakesLeft ? all : all.slice(0, leftAtOnce);
  const ofRetriers = due.filter(({ carried, ordered, rate }) => carried || ordered || rate !== null);
  const single = due.filter((delivery) => !ofRetriers.includes(delivery));
  await leaveToChild(
    db,
    single.map(({ id }) => id),
  );
  return {
    children: single.map(({ webhook_id, id }) => ({ webhookId: webhook_id, deliveryIds: [id] })),
    retriers: await leave({ idle: ofRetriers }),
    ...(all.length > due.length ? { more: true } : {}),
  };
}
