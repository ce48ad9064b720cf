/** Options and requests that cannot work. */
import assert from 'node:assert/strict';
import { OptionError, Tidings, type TidingsOptions } from '../../../clients/typescript/client/index.js';
import { type ScriptedServer, startScriptedServer } from '../scripted-server.js';

const message = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } } as const;
const sent = { status: 201, body: { success: true, data: { message: { id: 'one' } } } };

describe('options of the TypeScript client', () => {
  let server: ScriptedServer;
  let tidings: Tidings;
  const client = (options: Partial<TidingsOptions> = {}) => new Tidings({ apiKey: 'tidings_x', baseUrl: server.url, ...options });
  beforeEach(async () => {
    server = await startScriptedServer();
    server.answers = [sent];
    tidings = client();
  });
  afterEach(() => server.close());

  it('a number that cannot work is an OptionError in the client, a call and a stream, and nothing is sent', async () => {
    const wrong = [
      ...[Number.NaN, -1, 1.5, Number.NEGATIVE_INFINITY, '3' as unknown as number].map((retries) => ({ retries })),
      ...[Number.NaN, 0, -1, Number.POSITIVE_INFINITY, '30' as unknown as number].map((timeoutMs) => ({ timeoutMs })),
    ];
    for (const options of wrong) {
      assert.throws(() => client(options), OptionError, JSON.stringify(options));
      await assert.rejects(tidings.balance(options), OptionError, JSON.stringify(options));
    }
    await assert.rejects(tidings.stream({ retries: Number.NaN }).next(), OptionError);
    assert.deepEqual(server.requests, []);
  });

  it('a timeout that is longer than a timer can be, or has a fraction, does not end the call', async () => {
    for (const timeoutMs of [2 ** 33, 30_000.5]) assert.equal((await tidings.messages.send(message, { timeoutMs })).id, 'one');
  });

  it('retries may be infinite', async () => {
    server.answers = [...Array.from({ length: 3 }, () => ({ status: 503, headers: { 'Retry-After': '0' } })), sent];
    assert.equal((await client({ retries: Number.POSITIVE_INFINITY }).messages.send(message)).id, 'one');
  });

  it('null as an option means its default, and every send has a key of its own', async () => {
    const none = null as unknown as undefined;
    const options = { idempotencyKey: none, retries: none, timeoutMs: none } as unknown as { idempotencyKey: string };
    for (let count = 0; count < 2; count += 1) await tidings.messages.send(message, options);
    const keys = server.requests.map(({ headers }) => String(headers['idempotency-key']));
    for (const key of keys) assert.match(key, /^[0-9a-f-]{36}$/);
    assert.equal(new Set(keys).size, 2);
    await assert.rejects(tidings.messages.send(message, { idempotencyKey: 7 as unknown as string }), OptionError);
  });

  it('a body or a query that cannot be written is a TypeError at once, and nothing is sent', async () => {
    const circular: { itself?: unknown } = {};
    circular.itself = circular;
    for (const metadata of [circular, { count: 1n }]) await assert.rejects(tidings.messages.send({ ...message, metadata }), TypeError);
    const invalid = new Date(Number.NaN) as unknown as string;
    await assert.rejects(tidings.usage({ from: invalid }), /^TypeError: from is not a valid date$/);
    await assert.rejects(tidings.stream({ lastEventId: 'žluťoučký' }).next(), /lastEventId must be visible ASCII characters/);
    assert.deepEqual(server.requests, []);
  });

  it('a baseUrl from a file may end with a line end', async () => {
    assert.equal((await client({ baseUrl: ` ${server.url}/\n` }).messages.send(message)).id, 'one');
    assert.equal(server.requests[0]?.path, '/api/v1/messages/send');
  });

  it('a baseUrl that fetch refuses is an OptionError that does not show its password', () => {
    for (const baseUrl of ['https://me:hidden@api.example.com', 'ftp://api.example.com', 'https://api.example.com/?a=hidden']) {
      assert.throws(
        () => client({ baseUrl }),
        (error) => error instanceof OptionError && !error.message.includes('hidden'),
      );
    }
  });
});
