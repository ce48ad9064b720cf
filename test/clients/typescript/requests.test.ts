/** Calls by their path. */
import assert from 'node:assert/strict';
import { OptionError, type RequestOptions, Tidings, TidingsError } from '../../../clients/typescript/client/index.js';
import { type ScriptedServer, startScriptedServer } from '../scripted-server.js';

const success = { status: 200, body: { success: true, data: {} } };

describe('request of the TypeScript client', () => {
  let server: ScriptedServer;
  let tidings: Tidings;
  beforeEach(async () => {
    server = await startScriptedServer();
    server.answers = [success];
    tidings = new Tidings({ apiKey: 'tidings_x', baseUrl: server.url, retries: 1 });
  });
  afterEach(() => server.close());

  it('a method that the service does not have, also one in lower case, is an OptionError, and nothing is sent', async () => {
    for (const method of ['post', 'PATCH', '', undefined])
      await assert.rejects(tidings.request(method as 'POST', '/contacts'), OptionError);
    assert.deepEqual(server.requests, []);
  });

  it('a path with white space or control characters, which URLs remove, is an OptionError', async () => {
    for (const path of ['/messages/.\t./balance', '/messages/..\n', '/messages/..\u0001', '/contacts/a b'])
      await assert.rejects(tidings.request('GET', path), OptionError, JSON.stringify(path));
    assert.deepEqual(server.requests, []);
  });

  it('a POST without a key is repeated after a lost answer only if it is said to be repeatable', async () => {
    for (const [options, attempts] of [
      [{}, 1],
      [{ isRepeatable: true }, 2],
    ] as [RequestOptions, number][]) {
      server.requests = [];
      server.answers = ['cut'];
      await assert.rejects(tidings.request('POST', '/webhooks/one/replays/two/cancel', options), TidingsError);
      assert.equal(server.requests.length, attempts);
    }
  });

  it('null means no body and no query, and a GET with a body is an OptionError', async () => {
    const none = { body: null, query: null } as unknown as RequestOptions;
    await tidings.request('GET', '/balance', none);
    await tidings.request('POST', '/webhooks/one/test', none);
    assert.deepEqual(
      server.requests.map(({ body, headers, path }) => [body, headers['content-type'], path]),
      ['/balance', '/webhooks/one/test'].map((path) => ['', undefined, `/api/v1${path}`]),
    );
    await assert.rejects(tidings.request('GET', '/balance', { body: {} }), OptionError);
    assert.equal(server.requests.length, 2);
  });

  it('a number or date that JSON does not have is a TypeError, and nothing is sent', async () => {
    for (const share of [Number.NaN, Number.POSITIVE_INFINITY, new Date(Number.NaN)])
      await assert.rejects(tidings.request('PUT', '/contacts/one', { body: { metadata: { share } } }), TypeError);
    assert.deepEqual(server.requests, []);
  });

  it('a fetch of the program that changes its URL or headers does not change the next attempt', async () => {
    const seen: string[] = [];
    const changing: typeof fetch = async (url, init) => {
      const headers = init?.headers as Record<string, string>;
      seen.push(`${url as URL} ${headers['X-Trace'] ?? ''}`);
      (url as URL).searchParams.append('trace', '1');
      headers['X-Trace'] = '1';
      return new Response('', { status: 503, headers: { 'Retry-After': '0' } });
    };
    const own = new Tidings({ apiKey: 'tidings_x', baseUrl: server.url, retries: 1, fetch: changing });
    await assert.rejects(own.balance(), { status: 503 });
    assert.deepEqual(
      seen,
      Array.from({ length: 2 }, () => `${server.url}/api/v1/balance `),
    );
  });
});
