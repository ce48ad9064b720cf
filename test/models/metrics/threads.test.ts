import assert from 'node:assert/strict';
import { BroadcastChannel } from 'node:worker_threads';
import { OtherThreads } from '../../../models/metrics/threads.js';
import { until } from '../../support/client.js';

const thread = 4_711;

/** Another thread, which answers each question at once. */
class AnsweringThread {
  questions = 0;
  readonly #channel = new BroadcastChannel('tidings-metrics');

  constructor() {
    this.#channel.onmessage = (event) => {
      const { ask } = (event as { data: { ask?: string } }).data;
      if (ask === undefined) return;
      this.questions += 1;
      this.#channel.postMessage({ answers: ask, thread, snapshot: { metrics: [], corePage: `page ${this.questions}` } });
    };
    this.#channel.unref();
  }

  announce(): void {
    this.#channel.postMessage({ answers: '', thread, snapshot: null });
  }

  close(): void {
    this.#channel.close();
  }
}

describe('the metrics of other threads', () => {
  let threads: OtherThreads;
  let other: AnsweringThread;

  beforeEach(async () => {
    threads = new OtherThreads();
    other = new AnsweringThread();
    other.announce();
    await until(async () => (await threads.ask()).length > 0, 'the other thread is known');
    other.questions = 0;
  });
  afterEach(() => {
    threads.close();
    other.close();
  });

  it('two pages at once share one question, so that neither waits for an answer to the other', async () => {
    const pages = await Promise.all([threads.ask(), threads.ask()]);
    await until(() => other.questions > 0, 'the other thread has the question');
    assert.equal(other.questions, 1);
    assert.deepEqual(pages[0], pages[1]);
  });

  it('a later page asks again', async () => {
    await threads.ask();
    await until(async () => (await threads.ask())[0]?.corePage === 'page 2', 'the answer to a second question is shown');
  });
});
