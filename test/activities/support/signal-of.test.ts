import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { withSignalOf } from '../../../activities/support/signal-of.js';

describe('a signal of one piece of work', () => {
  /** As the client of Temporal listens: it never removes the listener. */
  const listenForEver = async (signal: AbortSignal) => signal.addEventListener('abort', () => undefined);

  it('the signal of one piece of work leaves no listener at the signal that it follows', async () => {
    const { signal: lasting } = new AbortController();
    for (let works = 0; works < 20; works++) await withSignalOf([lasting], listenForEver);
    await assert.rejects(
      withSignalOf([lasting], () => Promise.reject(new Error('gone'))),
      /gone/,
    );
    assert.equal(getEventListeners(lasting, 'abort').length, 0);
  });

  it('a signal is aborted with any of its sources, also with one that was aborted before', async () => {
    const source = new AbortController();
    const isAborted = () =>
      withSignalOf([new AbortController().signal, source.signal], async (signal) => {
        source.abort();
        return signal.aborted;
      });
    assert.deepEqual([await isAborted(), await isAborted()], [true, true]);
  });
});
