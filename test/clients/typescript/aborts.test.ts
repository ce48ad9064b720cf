/** Signals that abort while the client waits for a function of the program. */
import assert from 'node:assert/strict';
import { Tidings } from '../../../clients/typescript/client/index.js';

const never = new Promise<never>(() => undefined);
const enough = new Error('enough');

describe('calls of the TypeScript client that wait for a function of the program', () => {
  /** A client whose answers have this body. */
  const client = (body: string | ReadableStream<Uint8Array>, headers: Record<string, string> = {}) =>
    new Tidings({
      apiKey: 'tidings_x',
      baseUrl: 'https://api.example.com',
      retries: 0,
      fetch: async () => new Response(body, { headers }),
    });
  const open = () => new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new Uint8Array([32])) });

  it('the signal of a call ends its wait for onResponse', async () => {
    const abort = new AbortController();
    const onResponse = () => {
      setImmediate(() => abort.abort(enough));
      return never;
    };
    await assert.rejects(client('{}').balance({ signal: abort.signal, onResponse }), enough);
  });

  it('the signal of a stream ends its wait for onOpen', async () => {
    const abort = new AbortController();
    const onOpen = () => {
      setImmediate(() => abort.abort(enough));
      return never;
    };
    const stream = client(open(), { 'Content-Type': 'text/event-stream' }).stream({ signal: abort.signal, onOpen });
    await assert.rejects(stream.next(), enough);
  });

  it('an error of onResponse ends the call before the answer is read to its end, also if the function has aborted the signal', async () => {
    const mistake = new Error('a mistake in the program');
    await assert.rejects(client(open()).balance({ onResponse: () => Promise.reject(mistake) }), mistake);
    const abort = new AbortController();
    const onResponse = () => {
      abort.abort(enough);
      throw mistake;
    };
    await assert.rejects(client('{}').balance({ signal: abort.signal, onResponse }), mistake);
  });

  it('a signal that is used for many calls keeps nothing of them', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
    signal.addEventListener = (...given: Parameters<typeof add>) => ((listeners += 1), add(...given));
    signal.removeEventListener = (...given: Parameters<typeof remove>) => ((listeners -= 1), remove(...given));
    const answered = client('{"success": true, "data": {}}');
    await answered.balance({ signal, onResponse: async () => undefined });
    assert.equal(listeners, 0);
  });
});
