import assert from 'node:assert/strict';
import { Tidings, TidingsError } from '../../clients/typescript/client/index.js';
import { isRetryable, pause, pauseMs } from '../../clients/typescript/client/retry.js';
import { readStream } from '../../clients/typescript/client/stream.js';
import { Transport } from '../../clients/typescript/client/transport.js';
import { until } from '../support/client.js';
import { refused, type Scripted, type ScriptedServer, startScriptedServer } from './scripted-server.js';

const message = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } } as const;
const sent: Scripted = { status: 201, body: { success: true, data: { message: { id: 'one' } } } };
const failure = (status: number, code: string, retryAfterSeconds: number | null = null) =>
  new TidingsError({ status, code, message: 'No', retryAfterSeconds });

describe('requests of the TypeScript client', () => {
  let server: ScriptedServer;
  let tidings: Tidings;
  beforeEach(async () => {
    server = await startScriptedServer();
    tidings = new Tidings({ apiKey: 'tidings_x', baseUrl: `${server.url}/api/v1/`, retries: 2 });
  });
  afterEach(() => server.close());
  const failureOf = async (call: Promise<unknown>): Promise<TidingsError> => {
    const error = await call.then(
      () => assert.fail('it succeeded'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof TidingsError, String(error));
    return error;
  };

  for (const [what, answer] of [
    ['429', refused(429, 'rate_limited', { 'Retry-After': '0' })],
    ['500', refused(500, 'internal_error')],
    ['503', refused(503, 'unavailable')],
    ['502 of a proxy', { status: 502, body: '<html>Bad gateway</html>' }],
    ['504 of a proxy', { status: 504 }],
    ['an answer that breaks off', 'cut'],
  ] as const) {
    it(`a send after ${what} is sent again with the same idempotency key and body`, async () => {
      server.answers = [answer, sent];
      assert.equal((await tidings.messages.send(message)).id, 'one');
      const [first, second] = server.requests;
      assert.equal(server.requests.length, 2);
      assert.match(String(first?.headers['idempotency-key']), /^[0-9a-f-]{36}$/);
      assert.equal(second?.headers['idempotency-key'], first?.headers['idempotency-key']);
      assert.deepEqual([second?.path, second?.body], ['/api/v1/messages/send', JSON.stringify(message)]);
    });
  }

  it('a send without an answer in time is sent again with its idempotency key', async () => {
    server.answers = ['hang', sent];
    assert.equal((await tidings.messages.send(message, { timeoutMs: 1_000, idempotencyKey: 'order-1' })).id, 'one');
    assert.deepEqual(
      server.requests.map(({ headers }) => headers['idempotency-key']),
      ['order-1', 'order-1'],
    );
  });

  it('a request that the service refused is sent once', async () => {
    for (const [status, code] of [
      [400, 'validation_failed'],
      [401, 'unauthorized'],
      [402, 'insufficient_credits'],
      [409, 'conflict'],
      [422, 'idempotency_mismatch'],
    ] as const) {
      server.requests = [];
      server.answers = [refused(status, code)];
      const error = await failureOf(tidings.messages.send(message));
      assert.deepEqual([error.status, error.code, error.message, error.requestId], [status, code, 'No', 'req-1']);
      assert.equal(server.requests.length, 1);
    }
  });

  it('a creation whose answer was lost is sent once, because it would be done twice', async () => {
    server.answers = ['cut'];
    const error = await failureOf(tidings.webhooks.create({ url: 'https://example.com', events: ['message.sent'] }));
    assert.deepEqual([error.status, error.code, server.requests.length], [0, 'network_error', 1]);
  });

  it('the last failure is thrown after the permitted number of retries', async () => {
    server.answers = [refused(500, 'internal_error'), refused(500, 'internal_error'), refused(503, 'unavailable', { 'Retry-After': '0' })];
    const { status, retryAfterSeconds } = await failureOf(tidings.messages.get('one'));
    assert.deepEqual([status, retryAfterSeconds, server.requests.length], [503, 0, 3]);
  });

  it('a retry waits for Retry-After, and a very long Retry-After ends the call', async () => {
    assert.ok(pauseMs(0, 7, 0) >= 7_000);
    assert.equal(isRetryable(failure(429, 'rate_limited', 60), false), true);
    server.answers = [refused(429, 'rate_limited', { 'Retry-After': '900' })];
    assert.equal((await failureOf(tidings.messages.send(message))).retryAfterSeconds, 900);
    assert.equal(server.requests.length, 1);
  });

  it('pauses between tries double up to ten seconds, and are partly random', () => {
    assert.deepEqual(
      [0, 1, 2, 9].map((attempt) => [pauseMs(attempt, null, 0), pauseMs(attempt, null, 1)]),
      [
        [250, 500],
        [500, 1_000],
        [1_000, 2_000],
        [5_000, 10_000],
      ],
    );
  });

  it('a pause that is longer than a timer can be is not skipped', async () => {
    const ending = new AbortController();
    const long = pause(2 ** 31, ending.signal).then(() => 'ended');
    assert.equal(await Promise.race([long, pause(50, ending.signal).then(() => 'waits')]), 'waits');
    ending.abort(new Error('enough'));
    await assert.rejects(long, /^Error: enough$/);
  });

  it('an aborted call is not sent again, and throws the reason', async () => {
    server.answers = ['hang'];
    const controller = new AbortController();
    const call = tidings.messages.send(message, { signal: controller.signal });
    await until(() => server.requests.length === 1, 'the first request is there');
    controller.abort(new Error('enough'));
    await assert.rejects(call, /^Error: enough$/);
    server.answers = [refused(429, 'rate_limited', { 'Retry-After': '60' })];
    const waiting = new AbortController();
    const paused = tidings.messages.send(message, { signal: waiting.signal });
    await until(() => server.requests.length === 2, 'the second request is refused');
    waiting.abort(new Error('enough'));
    await assert.rejects(paused, /^Error: enough$/);
  });

  it('an id that would be another path is a TypeError, and nothing is sent', async () => {
    for (const id of ['', '.', '..']) {
      await assert.rejects(tidings.messages.get(id), TypeError);
      await assert.rejects(tidings.messages.cancel(id), TypeError);
      await assert.rejects(tidings.webhooks.delete(id), TypeError);
    }
    assert.deepEqual(server.requests, []);
  });

  it('a key that no header can have is a TypeError that does not show it, and nothing is sent', async () => {
    assert.throws(
      () => new Tidings({ apiKey: 'tidings_x\r\ny', baseUrl: server.url }),
      /^TypeError: apiKey must be visible ASCII characters$/,
    );
    for (const idempotencyKey of ['order 1', 'žluťoučký', 'order-1\n', ''])
      await assert.rejects(
        tidings.messages.send(message, { idempotencyKey }),
        /^TypeError: idempotencyKey must be visible ASCII characters$/,
      );
    assert.deepEqual(server.requests, []);
  });

  it('a key from a file is sent without its line end', async () => {
    server.answers = [sent];
    await new Tidings({ apiKey: 'tidings_x\n', baseUrl: server.url }).messages.send(message);
    assert.equal(server.requests[0]?.headers['x-api-key'], 'tidings_x');
  });

  it('a stream that gets no answer is opened again', async () => {
    const event = '{"event":"message.sent","timestamp":"","data":{"message_id":"m"}}';
    server.answers = ['hang', { status: 200, headers: { 'Content-Type': 'text/event-stream' }, body: `id: 1.a\ndata: ${event}\n\n` }];
    const stream = readStream(new Transport({ apiKey: 'tidings_x', baseUrl: server.url }), { signal: AbortSignal.timeout(10_000) }, 1_000);
    const { value } = await stream.next();
    assert.deepEqual([value?.id, server.requests.length], ['1.a', 2]);
    await stream.return();
  });

  it('a stream that is a 200 of another service is an error, and is opened once', async () => {
    for (const type of ['text/html', 'text/event-streams', undefined]) {
      const opened: string[] = [];
      server.requests = [];
      server.answers = [{ status: 200, ...(type === undefined ? {} : { headers: { 'Content-Type': type } }), body: '<html>Hello</html>' }];
      const { status, code, message } = await failureOf(
        tidings.stream({ signal: AbortSignal.timeout(10_000), onOpen: () => opened.push('open') }).next(),
      );
      assert.deepEqual([status, code, message], [200, 'invalid_answer', 'The response is not a stream. Check baseUrl']);
      assert.deepEqual([server.requests.length, opened], [1, []]);
    }
  });

  it('a redirect is an error, and the key is not sent to the other address', async () => {
    server.answers = [{ status: 307, headers: { Location: `${server.url}/elsewhere` } }];
    assert.equal((await failureOf(tidings.messages.send(message))).status, 307);
    assert.equal(server.requests.length, 1);
  });

  it('an answer of another service is an error, and invalid options are a TypeError', async () => {
    server.answers = [{ status: 200, body: '<html>Hello</html>' }];
    assert.equal((await failureOf(tidings.balance())).code, 'invalid_answer');
    assert.throws(() => new Tidings({ apiKey: 'x', baseUrl: 'api.example.com' }), TypeError);
    assert.throws(() => new Tidings({ apiKey: '', baseUrl: server.url }), TypeError);
  });
});
