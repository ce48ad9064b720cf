/** Each thread counts for itself. The first thread of a process asks the others when it is asked. */
import { randomUUID } from 'node:crypto';
import { BroadcastChannel, threadId } from 'node:worker_threads';
import { type MetricObject, registry } from './declare.js';

const name = 'tidings-metrics';
/** A thread that is busy for longer is shown as it was the last time. */
const patienceMs = 300;

/** What a thread has to show. */
export interface MetricsSnapshot {
  metrics: MetricObject[];
  /** `host:port` of the page of Temporal's own metrics, where it has one. */
  corePage?: string | undefined;
}

let corePage: string | undefined;

/** Notes where this thread shows Temporal's own metrics. */
export function noteCorePage(address: string): void {
  corePage = address;
}

/** Of this thread. */
export const ownSnapshot = async (): Promise<MetricsSnapshot> => ({
  metrics: (await registry.getMetricsAsJSON()) as MetricObject[],
  corePage,
});

interface Question {
  ask: string;
}
interface Answer {
  answers: string;
  thread: number;
  snapshot: MetricsSnapshot | null;
}

/** In any thread but the first: answers the first thread. */
export function answerFirstThread(): void {
  const channel = open((data) => {
    const { ask } = data as Partial<Question>;
    if (ask === undefined) return;
    void ownSnapshot().then((snapshot) => channel.postMessage({ answers: ask, thread: threadId, snapshot } satisfies Answer));
  });
  channel.postMessage({ answers: '', thread: threadId, snapshot: null } satisfies Answer);
}

/** In the first thread: asks the others. */
export class OtherThreads {
  readonly #latest = new Map<number, MetricsSnapshot>();
  readonly #expected = new Set<number>();
  readonly #channel = open((data) => this.#hear(data as Partial<Answer>));
  #asked: { ask: string; missing: Set<number>; done: () => void } | undefined;
  #inProgress: Promise<MetricsSnapshot[]> | undefined;

  /**
   * The snapshots of the other threads. For one that is busy or has ended, its last one, so that counters never go back. Calls at the same time
   * share one question.
   */
  ask(): Promise<MetricsSnapshot[]> {
    this.#inProgress ??= this.#askAll().finally(() => {
      this.#inProgress = undefined;
    });
    return this.#inProgress;
  }

  async #askAll(): Promise<MetricsSnapshot[]> {
    const ask = randomUUID();
    if (this.#expected.size > 0) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, patienceMs);
        const done = () => {
          clearTimeout(timer);
          resolve();
        };
        this.#asked = { ask, missing: new Set(this.#expected), done };
        this.#channel.postMessage({ ask } satisfies Question);
      });
      for (const thread of this.#asked?.missing ?? []) this.#expected.delete(thread);
      this.#asked = undefined;
    }
    return [...this.#latest.values()];
  }

  close(): void {
    this.#channel.close();
  }

  #hear({ answers, thread, snapshot }: Partial<Answer>): void {
    if (answers === undefined || thread === undefined) return;
    this.#expected.add(thread);
    if (snapshot !== null && snapshot !== undefined) this.#latest.set(thread, snapshot);
    if (this.#asked?.ask !== answers) return;
    this.#asked.missing.delete(thread);
    if (this.#asked.missing.size === 0) this.#asked.done();
  }
}

function open(heard: (data: unknown) => void): BroadcastChannel {
  const channel = new BroadcastChannel(name);
  channel.onmessage = (event) => heard((event as { data: unknown }).data);
  channel.unref();
  return channel;
}
