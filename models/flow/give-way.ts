/** Lets the database work of one thread yield to urgent work of another thread of the process. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

/** How fast the statements of a pool may follow each other. */
export interface TurnTaker {
  /** Runs the work when its turn comes. Work within this work has no turn of its own. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Rests between two steps of a turn. @param stepMs how long the last step took */
  rest(stepMs: number): Promise<void>;
}

/** Urgent work counts as in progress for this long after its end, because the next step of the same message follows soon. */
const nextStepMs = 30;
/** When nothing was urgent for this long, nothing waits any more. A shorter gap between two messages is no time for parallel turns. */
const recentMs = 300;

/** Urgent work in progress, in memory that all threads of a process share. */
export class UrgentWork {
  /** How many pieces are in progress, and when the last one ended: milliseconds, without their highest bits. */
  readonly #state: Int32Array;

  /** @param memory that of the same object in another thread */
  constructor(readonly memory: SharedArrayBuffer = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)) {
    this.#state = new Int32Array(memory);
  }

  get isInProgress(): boolean {
    return this.#isWithin(nextStepMs);
  }

  /** Urgent work is in progress, or more of it is likely to follow soon. */
  get isRecent(): boolean {
    return this.#isWithin(recentMs);
  }

  #isWithin(ms: number): boolean {
    return Atomics.load(this.#state, 0) > 0 || Math.abs((Date.now() | 0) - Atomics.load(this.#state, 1)) < ms;
  }

  /** A pace that never waits, and counts its work as urgent. */
  readonly pace: TurnTaker = {
    run: async (work) => {
      Atomics.add(this.#state, 0, 1);
      try {
        return await work();
      } finally {
        Atomics.sub(this.#state, 0, 1);
        Atomics.store(this.#state, 1, Date.now() | 0);
      }
    },
    rest: () => Promise.resolve(),
  };
}

const turnRestMsMax = 250;
/**
 * A turn that takes longer is heavy. Usually it writes the events of many messages for many webhooks. Its owner, a workspace, then rests for
 * twenty times the time above this, three seconds at most. Otherwise the heavy turns of one workspace would fill every gap between the sends of others.
 */
const heavyTurnMs = 60;
const heavyRestShare = 20;
const heavyRestMsMax = 3_000;
/** A step of usual length needs no rest. After a longer step, which writes large texts, the rest is twelve times the time above it. */
const usualStepMs = 30;
const stepRestShare = 12;
const stepRestMsMax = 1_500;
const lookAgainMs = 5;

/**
 * A pace for less urgent work. While there is urgent work, one turn runs at a time, and a rest in proportion to its length follows while
 * urgent work is in progress. Owners take turns. Otherwise nothing waits.
 * @param ownerOf the owner of the work that asks for a turn. After a heavy turn its owner rests longer, until nothing was urgent for a while.
 * Other owners do not wait for that, nor does work without an owner. Default: no work has an owner
 */
export function givingWayTo(urgent: UrgentWork, ownerOf: () => string | undefined = () => undefined): TurnTaker {
  const turns = new Turns(urgent);
  return {
    run: (work) => turns.run(ownerOf() ?? '', work),
    rest: (stepMs) => turns.rest(stepMs),
  };
}

class Turns {
  /** Those that wait, by owner. The owner whose turn it is comes first. */
  readonly #waiting = new Map<string, (() => void)[]>();
  /** The turn in which the present call runs. */
  readonly #current = new AsyncLocalStorage<{ isOver: boolean }>();
  readonly #heavyRests = new HeavyRests();
  #inProgress = 0;
  #restUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly urgent: UrgentWork) {}

  async run<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    // A part of a turn must not wait for the end of that turn.
    if (this.#current.getStore()?.isOver === false) return work();
    await this.#begin(owner);
    const turn = { isOver: false };
    const begunAt = performance.now();
    try {
      return await this.#current.run(turn, work);
    } finally {
      turn.isOver = true;
      this.#end(owner, begunAt);
    }
  }

  async rest(stepMs: number): Promise<void> {
    // Rests of turns that run at the same time follow each other: together they use no more time than one turn.
    const until = Math.max(this.#restUntil, performance.now()) + Math.min(stepRestShare * Math.max(0, stepMs - usualStepMs), stepRestMsMax);
    this.#restUntil = until;
    while (this.urgent.isInProgress && performance.now() < until) await sleep(lookAgainMs);
  }

  async #begin(owner: string): Promise<void> {
    if (!this.#mayBegin(owner)) {
      const queue = this.#waiting.get(owner) ?? [];
      this.#waiting.set(owner, queue);
      await new Promise<void>((resolve) => {
        queue.push(resolve);
        this.#lookAgain();
      });
      return; // counted by the one who started it
    }
    this.#inProgress += 1;
  }

  #mayBegin(owner: string): boolean {
    if (!this.urgent.isRecent) return true;
    const now = performance.now();
    const isResting = now < this.#heavyRests.endOf(owner) || (now < this.#restUntil && this.urgent.isInProgress);
    return this.#inProgress === 0 && !isResting;
  }

  #end(owner: string, begunAt: number): void {
    this.#inProgress -= 1;
    const endedAt = performance.now();
    const workMs = endedAt - begunAt;
    this.#restUntil = Math.max(this.#restUntil, endedAt + Math.min(workMs, turnRestMsMax));
    if (owner !== '') this.#heavyRests.add(owner, workMs, endedAt);
    this.#startWaiting();
  }

  /** Starts those whose turn it is. */
  #startWaiting(): void {
    for (const [owner, queue] of this.#waiting) {
      if (!this.#mayBegin(owner)) continue;
      this.#waiting.delete(owner);
      const next = queue.shift();
      // An owner with more goes to the end of the map. This loop reaches it again there.
      if (queue.length > 0) this.#waiting.set(owner, queue);
      this.#inProgress += 1;
      next?.();
    }
    this.#lookAgain();
  }

  #lookAgain(): void {
    if (this.#waiting.size === 0 || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#startWaiting();
    }, lookAgainMs);
  }
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
