/**
 * A turn that takes longer is heavy. Usually it writes the events of many messages for many webhooks. Its owner, a workspace, then rests for
 * twenty times the time above this, three seconds at most. Otherwise the heavy turns of one workspace would fill every gap between the
 * sends of others.
 */
const heavyTurnMs = 60;
const heavyRestShare = 20;
const heavyRestMsMax = 3_000;

/** Until when the owners of heavy turns rest. */
export class HeavyRests {
  readonly #ends = new Map<string, number>();

  endOf(owner: string): number {
    return this.#ends.get(owner) ?? 0;
  }

  /** Adds the rest for a turn to what is left of the earlier rests of its owner. */
  add(owner: string, workMs: number, now: number): void {
    for (const [resting, end] of this.#ends) if (end < now) this.#ends.delete(resting);
    const restMs = heavyRestShare * (workMs - heavyTurnMs);
    if (restMs > 0) this.#ends.set(owner, Math.min(Math.max(this.endOf(owner), now) + restMs, now + heavyRestMsMax));
  }
}
