/** Answers that the service does not give: those of a proxy, a cache or another service. */
import assert from 'node:assert/strict';
import { Tidings, TidingsError } from '../../../clients/typescript/client/index.js';
import { refused, type Scripted, type ScriptedServer, startScriptedServer } from '../scripted-server.js';

const message = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } } as const;
const success = (data: unknown): Scripted => ({ status: 200, body: { success: true, data } });
const page = (pagination: object) => success({ messages: [{ id: 'one' }], pagination });

describe('answers to the TypeScript client that are not from the service', () => {
  let server: ScriptedServer;
  let tidings: Tidings;
  beforeEach(async () => {
    server = await startScriptedServer();
    tidings = new Tidings({ apiKey: 'tidings_x', baseUrl: server.url, retries: 2 });
  });
  afterEach(() => server.close());

  async function failureOf(call: () => Promise<unknown>, ...answers: Scripted[]): Promise<TidingsError> {
    server.answers = answers;
    server.requests.length = 0;
    const error = await call().then(
      () => assert.fail('it succeeded'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof TidingsError, String(error));
    return error;
  }
  const listed = async () => {
    const seen = [];
    for await (const { id } of tidings.messages.list()) seen.push(id);
    return seen;
  };

  it('a success without an object is an error with the key of the send', async () => {
    for (const data of [null, 'x', []]) {
      const error = await failureOf(() => tidings.messages.send(message), success(data));
      assert.deepEqual([error.code, error.isUndecided, typeof error.idempotencyKey], ['invalid_answer', true, 'string']);
    }
  });

  it('a list whose page repeats, or is incomplete, ends with an error', async () => {
    const cases = [[page({ next_cursor: 'c' }), 2] as const, [page({}), 1] as const, [success({ messages: [] }), 1] as const];
    for (const [answer, read] of cases) {
      const { code } = await failureOf(listed, answer);
      assert.deepEqual([code, server.requests.length], ['invalid_answer', read]);
    }
  });

  it('a redirect says where it leads', async () => {
    const location = 'https://api.example.com/api/v1/balance';
    const { message: text } = await failureOf(() => tidings.balance(), { status: 301, headers: { location } });
    assert.equal(text, `HTTP status 301, a redirect to ${location}. Check baseUrl`);
  });

  it('a stream that may be opened only after an hour is an error at once', async () => {
    const stream = tidings.stream();
    const error = await failureOf(() => stream.next(), refused(503, 'unavailable', { 'Retry-After': '3600' }));
    assert.deepEqual([error.retryAfterSeconds, server.requests.length], [3600, 1]);
  });
});
