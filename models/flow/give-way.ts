/** Lets the database work of one thread yield to urgent work of another thread of the process. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { HeavyRests } from './heavy-rests.js';

/** How fast the statements of a pool may follow each other. */
export interface Pace {
  /** Runs the work when its turn comes. Work within this work has no turn of its own. */
  run<Result>(work: () => Promise<Result>): Promise<Result>;
  /** Rests between two steps of a turn. @param stepMs how long the last step took */
  rest(stepMs: number): Promise<void>;
}

/** Urgent work counts as in progress for this long after its end, because the next step of the same message follows soon. */
const nextStepMs = 30;
/** After this long without urgent work, turns run in parallel again. */
const recentMs = 300;

/** Urgent work in progress, in memory that all threads of a process share. */
export class UrgentWork {
  /** How many pieces are in progress, and when the last one ended: milliseconds, without their highest bits. */
  readonly #state: Int32Array;

  /**
   * @param memory that of the same object in another thread
   * @param now milliseconds of a clock that all threads share
   */
  constructor(
    readonly memory: SharedArrayBuffer = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT),
    private readonly now: () => number = Date.now,
  ) {
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
    return Atomics.load(this.#state, 0) > 0 || Math.abs((this.now() | 0) - Atomics.load(this.#state, 1)) < ms;
  }

  /** A pace that never waits, and counts its work as urgent. */
  readonly pace: Pace = {
    run: async (work) => {
      Atomics.add(this.#state, 0, 1);
      try {
        return await work();
      } finally {
        Atomics.sub(this.#state, 0, 1);
        Atomics.store(this.#state, 1, this.now() | 0);
      }
    },
    rest: () => Promise.resolve(),
  };
}

const turnRestMsMax = 250;
/** A step of usual length needs no rest. After a longer step, which writes large texts, the rest is twelve times the time above it. */
const usualStepMs = 30;
const stepRestShare = 12;
const stepRestMsMax = 1_500;
/** A waiter begins after this time even beside another turn, so that none starves; but not before its owner's rest ends. */
const waitMsMax = 2_000;
const lookAgainMs = 5;

/**
 * A pace for less urgent work. While there is urgent work, one turn runs at a time, and a rest in proportion to its length follows while urgent
 * work is in progress. Owners take turns. Otherwise nothing waits.
 * @param ownerOf the owner of the work that asks for a turn. After a heavy turn its owner rests longer, until nothing was urgent for a while.
 *   Other owners, and work without an owner, do not wait for that. Default: no work has an owner
 */
export function createYieldingPace(urgent: UrgentWork, ownerOf: () => string | undefined = () => undefined): Pace {
  const turns = new Turns(urgent);
  return {
    run: (work) => turns.run(ownerOf() ?? '', work),
    rest: (stepMs) => turns.rest(stepMs),
  };
}

/** Asks for a turn. */
interface Waiter {
  since: number;
  begin(): void;
}

class Turns {
  /** Those that wait, by owner. The owner whose turn it is comes first. */
  readonly #waiting = new Map<string, Waiter[]>();
  /** The turn in which the present call runs. */
  readonly #current = new AsyncLocalStorage<{ owner: string; isOver: boolean }>();
  readonly #heavyRests = new HeavyRests();
  #inProgress = 0;
  #restUntil = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly urgent: UrgentWork) {}

  async run<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    // A part of a turn must not wait for the end of that turn.
    if (this.#current.getStore()?.isOver === false) return work();
    await this.#begin(owner);
    const turn = { owner, isOver: false };
    const begunAt = performance.now();
    try {
      return await this.#current.run(turn, work);
    } finally {
      turn.isOver = true;
      this.#end(owner, begunAt);
    }
  }

  /** Within a turn, others may take theirs meanwhile: a transaction that writes a large batch rests for most of its time. */
  async rest(stepMs: number): Promise<void> {
    // Rests of turns that run at the same time follow each other: together they use no more time than one turn.
    const until = Math.max(this.#restUntil, performance.now()) + Math.min(stepRestShare * Math.max(0, stepMs - usualStepMs), stepRestMsMax);
    this.#restUntil = until;
    const turn = this.#current.getStore();
    if (turn?.isOver === false) this.#leave();
    while (this.urgent.isInProgress && performance.now() < until) await sleep(lookAgainMs);
    if (turn?.isOver === false) await this.#begin(turn.owner);
  }

  async #begin(owner: string): Promise<void> {
    if (this.#mayBegin(owner, 0, performance.now())) {
      this.#inProgress += 1;
      return;
    }
    await new Promise<void>((begin) => {
      const queue = this.#waiting.get(owner) ?? [];
      this.#waiting.set(owner, queue);
      queue.push({ since: performance.now(), begin });
      this.#lookAgain();
    });
  }

  #mayBegin(owner: string, waitedMs: number, now: number): boolean {
    if (!this.urgent.isRecent) return true;
    if (now < this.#heavyRests.endOf(owner)) return false;
    if (waitedMs >= waitMsMax) return true;
    return this.#inProgress === 0 && !(now < this.#restUntil && this.urgent.isInProgress);
  }

  #leave(): void {
    this.#inProgress -= 1;
    this.#startWaiting();
  }

  #end(owner: string, begunAt: number): void {
    const endedAt = performance.now();
    const workMs = endedAt - begunAt;
    this.#restUntil = Math.max(this.#restUntil, endedAt + Math.min(workMs, turnRestMsMax));
    if (owner !== '') this.#heavyRests.add(owner, workMs, endedAt);
    this.#leave();
  }

  /** Starts those whose turn it is. */
  #startWaiting(): void {
    const now = performance.now(); // the same for all, or a rest that ends meanwhile would let the second owner begin before the first
    for (const [owner, queue] of this.#waiting) {
      const [next] = queue;
      if (next === undefined || !this.#mayBegin(owner, now - next.since, now)) continue;
      this.#waiting.delete(owner);
      queue.shift();
      // An owner with more goes to the end of the map. This loop reaches it again there.
      if (queue.length > 0) this.#waiting.set(owner, queue);
      this.#inProgress += 1;
      next.begin();
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
