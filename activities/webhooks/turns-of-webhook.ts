/** The turns of a webhook that has a rate. PostgreSQL gives them to all processes, so that the attempts of all of them keep the rate together. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../models/db/database.js';
import type { ConcurrencyLimit } from '../../models/flow/concurrency-limit.js';
import type { SendableDelivery } from '../../models/operations/deliveries/due-deliveries.js';
import { isWebhookUnchanged } from '../../models/operations/deliveries/is-webhook-unchanged.js';
import { reserveWebhookSlots, type WebhookSlots } from '../../models/operations/deliveries/reserve-webhook-slots.js';
import type { Trigger } from '../../models/tables/delivery.js';
import { attemptLater } from './attempt-later.js';

/** How late a turn may still be used, because timers are late. */
const lateMs = 5;
/** A requested attempt whose turn is later waits in Temporal, because its activity has only seconds beside the attempt. */
const requestedMsMax = 5_000;
/** After a longer wait for a turn, the webhook is read again: a change takes effect at once. */
const unseenMsMax = 250;

/** The turns of the webhook of this delivery; undefined if it has no rate. */
export function turnsOf(
  { webhook_id: webhookId, workspace_id: workspaceId, rate, changed_at: changedAt }: SendableDelivery,
  trigger: Trigger,
  { deps, withWorkspaceLimit }: { deps: { db: Database }; withWorkspaceLimit: ConcurrencyLimit },
): TurnsOfWebhook | undefined {
  if (rate === null) return undefined;
  const aheadMsMax = trigger === 'manual' || trigger === 'test' ? requestedMsMax : undefined;
  const reserve = async (wanted: number) => {
    const turns = await withWorkspaceLimit(() => reserveWebhookSlots(deps.db, webhookId, wanted, aheadMsMax), workspaceId);
    if (turns === undefined && aheadMsMax !== undefined) throw attemptLater('RateReached', 1_000);
    return turns;
  };
  return new TurnsOfWebhook(reserve, () => isWebhookUnchanged(deps.db, webhookId, changedAt));
}

export class TurnsOfWebhook {
  #everyMs = 0;
  #nextAtMs = 0;
  #lastAtMs = Number.NEGATIVE_INFINITY;
  #reserving: Promise<boolean> | undefined;

  /** @param reserve takes turns that nobody else gets; undefined if the webhook has no rate any more */
  constructor(
    private readonly reserve: (wanted: number) => Promise<WebhookSlots | undefined>,
    private readonly isUnchanged: () => Promise<boolean>,
  ) {}

  /**
   * Waits for the next turn. Each call gets another one.
   * @param wanted the number of attempts that are still to be made, this one included
   * @param isOver the attempt will not be made any more: the wait ends early, and no turn is taken for it
   * @returns false if the webhook has changed meanwhile: what was read of it before must not be used
   */
  async next(wanted: number, isOver: () => boolean = () => false): Promise<boolean> {
    const since = performance.now();
    while (!isOver()) {
      const now = performance.now();
      const at = Math.max(now, this.#nextAtMs);
      if (at <= this.#lastAtMs) {
        this.#nextAtMs = at + this.#everyMs;
        await sleep(at - now); // seconds at most: see `requestedMsMax`
        return performance.now() - since < unseenMsMax || this.isUnchanged();
      }
      this.#reserving ??= this.#reserve(wanted).finally(() => (this.#reserving = undefined));
      if (!(await this.#reserving)) return this.isUnchanged();
    }
    return true;
  }

  /**
   * Reserves further turns when those before are used. Otherwise many attempts in parallel would take all turns of the next seconds, and a
   * requested attempt would find none.
   * @returns false if the webhook has no rate any more
   */
  async #reserve(wanted: number): Promise<boolean> {
    const usedAtMs = this.#nextAtMs - this.#everyMs;
    await sleep(Math.max(0, usedAtMs - performance.now()));
    const turns = await this.reserve(wanted);
    if (turns === undefined) return false;
    const firstAtMs = performance.now() + turns.wait_ms;
    this.#everyMs = turns.every_ms;
    this.#nextAtMs = firstAtMs;
    this.#lastAtMs = firstAtMs + (turns.count - 1) * turns.every_ms + Math.max(turns.every_ms / 2, lateMs);
    return true;
  }
}
