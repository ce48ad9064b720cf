/** Data that a screen shows: loading, loaded or failed. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import { nextRequestInMs } from '../api/allowance.js';
import { isUnanswered, type Problem, problemOf } from '../api/problem.js';

export interface Loaded<T> {
  /** Undefined until the first answer. A reload keeps the old data until the new is there. */
  data: ReadonlySignal<T | undefined>;
  /** Whether the user waits for the read. */
  isAwaited: ReadonlySignal<boolean>;
  /** Whether a read is under way that may still be answered. */
  isPending: ReadonlySignal<boolean>;
  problem: ReadonlySignal<Problem | null>;
  /** Reads again. */
  reload(): void;
  /** Reads again what nobody asked for: what is shown is not dimmed meanwhile. A read that is under way is answered first. */
  reloadQuietly(): void;
  /** Changes the shown data, by an event. A read that is under way may be older than the event: its answer is changed, too. */
  update(change: (data: T) => T): void;
  /** Shows the answer to a change. A read that is under way may be older than the change: it is dropped, and starts again. */
  replace(data: T): void;
}

/** A read that the service did not answer, or refused for its rate limit, is repeated by itself, at growing intervals. */
const againMs = { first: 5_000, max: 60_000 };
/** A read that takes longer ends by itself only later (`call.ts`): a quiet reload, or another press of a button, replaces it. */
export const answerMsMax = 30_000;
const isRateLimited = (error: unknown) => problemOf(error).status === 429;

/** Its functions stay the same while the screen is shown: effects may depend on them. */
class Loading<T> implements Loaded<T> {
  readonly data = signal<T | undefined>(undefined);
  readonly isAwaited = signal(true);
  readonly isPending = signal(true);
  readonly problem = signal<Problem | null>(null);
  #isShown = false;
  /** The read that is under way. */
  #running: AbortController | undefined;
  /** Ends the time for the answer, or the wait before the next read. */
  #timer: ReturnType<typeof setTimeout> | undefined;
  #waitMs = againMs.first;
  /** A quiet reload was asked for since the read that is under way began. */
  #isDue = false;
  /** Nothing is read before the wait for the rate limit is over, unless the user asks. */
  #isRateLimited = false;
  /** The changes since the read that is under way began. */
  #missed: ((data: T) => T)[] = [];

  /**
   * @param load as the screen was last drawn
   * @param ready before it, nothing is read
   */
  constructor(
    public load: (signal: AbortSignal) => Promise<T>,
    private readonly ready: (() => Promise<void>) | undefined,
  ) {}

  /** Reads what has another key than before. @returns ends the read that is under way */
  begin(): () => void {
    this.data.value = undefined;
    this.problem.value = null;
    this.#waitMs = againMs.first;
    this.#isShown = true;
    this.reload();
    return () => {
      this.#isShown = false;
      clearTimeout(this.#timer);
      this.#running?.abort();
    };
  }

  readonly reload = (): void => this.#read(true);

  #read(isAwaited: boolean): void {
    // Work that a screen began may end after it was left.
    if (!this.#isShown) return;
    clearTimeout(this.#timer);
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    this.#timer = setTimeout(() => (this.isPending.value = false), answerMsMax);
    this.#isDue = false;
    this.#isRateLimited = false;
    this.#missed = [];
    this.isPending.value = true;
    this.isAwaited.value = isAwaited;
    this.#answer(running.signal).then(
      (answer) => {
        const changed = this.#missed.reduce((data, change) => change(data), answer);
        if (running.signal.aborted) return;
        this.#waitMs = againMs.first;
        this.#show(changed, null);
        if (this.#isDue) this.reloadQuietly();
      },
      (error: unknown) => {
        if (running.signal.aborted) return;
        this.#show(this.data.value, problemOf(error));
        this.#isRateLimited = isRateLimited(error);
        if (this.#isRateLimited || isUnanswered(error)) this.#readLater();
      },
    );
  }

  async #answer(signal: AbortSignal): Promise<T> {
    if (this.ready !== undefined) {
      await this.ready();
      signal.throwIfAborted();
      // This read is the one that was due meanwhile.
      this.#isDue = false;
    }
    return this.load(signal);
  }

  readonly reloadQuietly = (): void => {
    if (this.#isRateLimited) return;
    if (this.isPending.value) return void (this.#isDue = true);
    this.#read(this.isAwaited.value); // the user may wait for the read that this one replaces
  };

  readonly update = (change: (data: T) => T): void => {
    if (this.#running !== undefined) this.#missed.push(change);
    if (this.data.value !== undefined) this.data.value = change(this.data.value);
  };

  readonly replace = (data: T): void => {
    this.data.value = data;
    if (this.#running !== undefined) this.reload();
  };

  #readLater(): void {
    this.#timer = setTimeout(() => this.#read(false), Math.max(nextRequestInMs(), this.#waitMs));
    this.#waitMs = Math.min(2 * this.#waitMs, againMs.max);
  }

  #show(data: T | undefined, problem: Problem | null): void {
    this.data.value = data;
    this.problem.value = problem;
    clearTimeout(this.#timer);
    this.#running = undefined;
    this.isPending.value = false;
    this.isAwaited.value = false;
  }
}

/**
 * Loads data when the screen appears and whenever `key` changes. The answer to an earlier key is dropped.
 * @param key the data's identity, for example its id or its filters
 * @param ready each read waits for it
 */
export function useLoad<T>(key: string, load: (signal: AbortSignal) => Promise<T>, ready?: () => Promise<void>): Loaded<T> {
  const loading = useMemo(() => new Loading(load, ready), []);
  loading.load = load;
  useEffect(() => loading.begin(), [key, loading]);
  return loading;
}
