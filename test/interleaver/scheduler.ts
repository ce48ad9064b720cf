/** Runs operations one statement at a time, the next one chosen by seed among those that can go on. */
import pg from 'pg';
import type { Random } from './random.js';
import { Track } from './track.js';

/** An operation with its name for the record. */
export interface Runnable {
  name: string;
  run(): Promise<unknown>;
}

export interface Run {
  /** What happened, a line for each statement. */
  steps: string[];
  /** What the operations threw, by their place. */
  errors: unknown[];
}

/** A statement that has not ended by then may be waiting for a lock: the server is asked. */
const askAfterMs = 2;
/** Longest that a schedule may take: longer than any lock timeout. */
const runMsMax = 25_000;

export class Scheduler {
  readonly #monitor: pg.Client;
  #notify: () => void = () => undefined;

  /** @param url of the database of the operations; the scheduler asks it on a connection of its own */
  constructor(url: string) {
    this.#monitor = new pg.Client({ connectionString: url });
  }

  open = () => this.#monitor.connect();
  close = () => this.#monitor.end();

  /**
   * Runs the operations to their end. The server does what it does; the order of the statements is that of the random choices.
   * @throws Error when they do not end
   */
  async run(operations: readonly Runnable[], random: Random): Promise<Run> {
    const steps: string[] = [];
    const tracks = operations.map(({ name }) => new Track(name, () => this.#notify()));
    for (const [index, track] of tracks.entries()) track.start((operations[index] as Runnable).run);
    const deadline = performance.now() + runMsMax;
    for (;;) {
      await this.#settle(tracks, steps, deadline);
      const ready = tracks.filter(({ state }) => state === 'waits');
      if (ready.length > 0) {
        const next = random.pick(ready);
        steps.push(`${next.name}: ${next.statement.replaceAll(/\s+/g, ' ').trim().slice(0, 140)}`);
        next.step();
      } else if (tracks.every(({ state }) => state === 'done')) {
        return { steps, errors: tracks.map(({ error }) => error) };
      } else await this.#change(askAfterMs); // all wait for locks: the server ends a deadlock
    }
  }

  /** Waits until every operation waits with its next statement, is blocked, or is done. */
  async #settle(tracks: readonly Track[], steps: string[], deadline: number): Promise<void> {
    const wereBlocked = tracks.filter(({ state }) => state === 'blocked');
    if (tracks.some(({ state }) => state === 'runs')) await this.#change(askAfterMs);
    await this.#release(wereBlocked, steps);
    for (;;) {
      const running = tracks.filter(({ state }) => state === 'runs');
      if (running.length === 0) return;
      if (performance.now() > deadline) throw new Error(`does not end:\n${steps.join('\n')}`);
      if (await this.#change(askAfterMs)) continue;
      const blocked = await this.#blocked(running);
      for (const track of running) {
        if (!blocked.has(track.pid) || track.state !== 'runs') continue;
        track.state = 'blocked';
        steps.push(`${track.name}: … waits for a lock`);
      }
    }
  }

  /** Those that a lock held up and does not any more run again. */
  async #release(tracks: readonly Track[], steps: string[]): Promise<void> {
    const waiting = tracks.filter(({ state }) => state === 'blocked');
    if (waiting.length === 0) return;
    const blocked = await this.#blocked(waiting);
    for (const track of waiting) {
      if (track.state !== 'blocked' || blocked.has(track.pid)) continue;
      track.state = 'runs';
      steps.push(`${track.name}: … goes on`);
    }
  }

  async #blocked(tracks: readonly Track[]): Promise<Set<number>> {
    const sql = 'SELECT pid FROM unnest($1::integer[]) AS pid WHERE cardinality(pg_blocking_pids(pid)) > 0';
    const { rows } = await this.#monitor.query<{ pid: number }>({ name: 'blocked', text: sql, values: [tracks.map(({ pid }) => pid)] });
    return new Set(rows.map(({ pid }) => pid));
  }

  /** Resolves when an operation has come on, or after so long. @returns whether one has */
  #change(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), ms);
      this.#notify = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });
  }
}
