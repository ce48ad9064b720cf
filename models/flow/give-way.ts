/** Lets the database work of one thread yield to urgent work of another thread of the process. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Tally } from './tally.js';

/** How fast the statements of a pool may follow each other. */
export interface TurnTaker {
  /** Waits for a turn. @returns a function that ends the turn */
  turn(): Promise<() => void>;
  /** Rests between two steps of a turn. @param stepMs how long the last step took */
  rest(stepMs: number): Promise<void>;
}

/** Urgent work counts as in progress for this long after its end, because the next step of the same message follows soon. */
const recentMs = 30;

/** Urgent work in progress, in memory that all threads of a process share. */
export class UrgentWork {
  /** How many pieces are in progress, and when the last one ended: milliseconds, without their highest bits. */
  readonly #state: Int32Array;

  /** @param memory that of the same object in another thread */
  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.#state = new Int32Array(memory);
  }

  get isInProgress(): boolean {
    return this.isWithin(recentMs);
  }

  /** Whether urgent work is in progress, or ended less than this time ago. */
  isWithin(ms: number): boolean {
    return Atomics.load(this.#state, 0) > 0 || Math.abs((Date.now() | 0) - Atomics.load(this.#state, 1)) < ms;
  }

  /** A pace that never waits, and counts its turns as urgent. */
  readonly pace: TurnTaker = {
    turn: () => {
      Atomics.add(this.#state, 0, 1);
      return Promise.resolve(() => {
        Atomics.sub(this.#state, 0, 1);
        Atomics.store(this.#state, 1, Date.now() | 0);
      });
    },
    rest: () => Promise.resolve(),
  };
}

const turnRestMsMax = 250;
/**
 * A turn that takes longer is heavy. Usually it writes the events of many messages for many webhooks. Its owner, a workspace, then rests for
 * eight times the time above this. Otherwise the heavy turns of one workspace would fill every gap between the sends of others.
 */
const heavyTurnMs = 60;
const heavyRestShare = 8;
const heavyRestMsMax = 1_000;
/** A heavy rest ends early when nothing was urgent for this long. */
const quietMs = 300;
/** A step of usual length needs no rest. After a longer step, which writes large texts, the rest is four times the time above it. */
const usualStepMs = 30;
const stepRestShare = 4;
const stepRestMsMax = 500;
/** No turn waits longer than this for other turns. So a transaction that needs a second connection does not wait for itself, and all work ends. */
const waitMsMax = 250;
const lookAgainMs = 5;

/**
 * A pace for less urgent work. While urgent work is in progress, one turn runs at a time, followed by a rest in proportion to its length.
 * Otherwise nothing waits.
 * @param ownerOf the owner of the work that asks for a turn. After a heavy turn its owner rests longer, until nothing was urgent for a while.
 * Other owners do not wait for that, nor does work without an owner. Default: no work has an owner
 */
export function givingWayTo(urgent: UrgentWork, ownerOf: () => string | undefined = () => undefined): TurnTaker {
  const inProgress = new Tally();
  let restUntil = 0;
  const heavyRests = new HeavyRests();
  return {
    async turn() {
      const owner = ownerOf() ?? '';
      const isResting = (now: number) => now < heavyRests.endOf(owner);
      let waitedMs = 0;
      for (let last = performance.now(), now = last; urgent.isWithin(isResting(now) ? quietMs : recentMs); last = now) {
        // A turn beside one of the same owner may be a part of it, which must not wait for itself.
        const mustRest = isResting(now) && inProgress.of(owner) === 0;
        if (!mustRest && (inProgress.keys === 0 ? now >= restUntil : waitedMs >= waitMsMax)) break;
        await sleep(lookAgainMs);
        now = performance.now();
        if (inProgress.keys > 0) waitedMs += now - last;
      }
      inProgress.add(owner);
      const begunAt = performance.now();
      return () => {
        inProgress.remove(owner);
        const endedAt = performance.now();
        const workMs = endedAt - begunAt;
        restUntil = Math.max(restUntil, endedAt + Math.min(workMs, turnRestMsMax));
        if (owner !== '') heavyRests.add(owner, workMs, endedAt);
      };
    },
    async rest(stepMs) {
      // Rests of turns that run at the same time follow each other: together they use no more time than one turn.
      const until = Math.max(restUntil, performance.now()) + Math.min(stepRestShare * Math.max(0, stepMs - usualStepMs), stepRestMsMax);
      restUntil = until;
      while (urgent.isInProgress && performance.now() < until) await sleep(lookAgainMs);
    },
  };
}

/** Until when the owners of heavy turns rest. */
class HeavyRests {
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
