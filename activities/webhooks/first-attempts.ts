/** First attempts of a group's events: made here, or left to whoever carries them. */
import type { Config } from '../../models/settings/config.js';
import type { Database } from '../../models/db/database.js';
import { leaveToCarriers } from '../../models/operations/webhooks/carried-deliveries.js';
import { type DueDelivery, firstDeliveries } from '../../models/operations/webhooks/due-deliveries.js';
import { leaveToChild } from '../../models/operations/watch/own-workflows.js';
import type { LeftDeliveries } from '../../workflows/contract.js';
import type { Attempts } from './attempts.js';

export interface FirstAttemptDeps {
  db: Database;
  config: Pick<Config, 'webhookFirstAttempt'>;
  attempts: Attempts;
}

/** How a group's events are attempted. */
export interface Manner {
  /** Also what was left to others: an earlier call died, perhaps before they were told. */
  again: boolean;
  /** Of a group that is tended, see `Attempts.toAll`. */
  ownAtOnce?: number;
}

/**
 * First attempts of everything that is due for a group, each webhook's events in order, webhooks side by side.
 * @returns what has to be started: carriers for what was not acknowledged or not tried; where the operator wants a child workflow
 * for every event, those
 */
export async function attemptFirst(
  { db, config, attempts }: FirstAttemptDeps,
  groupId: string,
  { again, ownAtOnce }: Manner,
): Promise<LeftDeliveries> {
  const due = await firstDeliveries(db, groupId, again);
  const [first] = due;
  const leave: Leave = (left_) => attempts.inTurn(() => leaveToCarriers(db, left_, again), first?.workspace_id);
  const left =
    config.webhookFirstAttempt === 'inline'
      ? { children: [], carriers: await leave(await attempts.toAll(due, ownAtOnce)) }
      : await leaveAll(db, due, again, leave);
  return { ...left, ...workspacesOf(left, due) };
}

/** Leaves deliveries to carriers, in the turn of their workspace. */
type Leave = (left: Parameters<typeof leaveToCarriers>[1]) => Promise<string[]>;

/** Whose the webhooks are for which something has to be started. */
function workspacesOf({ children, carriers }: LeftDeliveries, due: readonly DueDelivery[]): Pick<LeftDeliveries, 'workspaces'> {
  const started = new Set([...carriers, ...children.map(({ webhookId }) => webhookId)]);
  if (started.size === 0) return {};
  const owned = due.flatMap(({ webhook_id, workspace_id }) => (started.has(webhook_id) ? [[webhook_id, workspace_id] as const] : []));
  return { workspaces: Object.fromEntries(owned) };
}

/** Deliveries that one round leaves: what it returns stands in the history of the group's workflow. */
const leftAtOnce = 500;

/** Where the operator wants a child workflow for every event: one for each, except what has to be sent in order or at a rate. */
async function leaveAll(db: Database, all: DueDelivery[], again: boolean, leave: Leave): Promise<LeftDeliveries> {
  // What an earlier call had marked may be anywhere among what was marked before it.
  const due = again ? all : all.slice(0, leftAtOnce);
  const inLine = due.filter(({ ordered, rate }) => ordered || rate !== null);
  const single = due.filter((delivery) => !inLine.includes(delivery));
  await leaveToChild(
    db,
    single.map(({ id }) => id),
  );
  return {
    children: single.map(({ webhook_id, id }) => ({ webhookId: webhook_id, deliveryIds: [id] })),
    carriers: await leave({ left: inLine }),
    ...(all.length > due.length ? { more: true } : {}),
  };
}
