import assert from 'node:assert/strict';
import { endpoints } from '../../../api/endpoints/index.js';
import { linksOf } from '../../../api/http/links.js';
import { listMessagesEndpoint } from '../../../api/endpoints/messages/messages.js';
import { buildQueued } from '../../support/rows/factories.js';
import { useApi, useApiStarts } from '../use-api.js';

const page = { origin: 'https://app.example.com', other: 'https://evil.example.com' };

/** `rel` → path and query. */
function linksIn(header: string | null): Record<string, string> {
  const links = [...(header ?? '').matchAll(/<([^>]+)>; rel="(\w+)"/g)];
  return Object.fromEntries(links.map(([, url = '', rel = '']) => [rel, url.replace('http://127.0.0.1:3000', '')]));
}

describe('Link headers', () => {
  const app = useApi();
  let key: string;
  let jwt: string;
  before(async () => {
    const account = await app.account();
    ({ key, jwt } = account);
    for (let index = 0; index < 5; index += 1) await buildQueued(app.deps.db, account.workspaceId, { reference: 'a&b="<ü' });
  });

  it('Link headers lead through a list and keep its filters', async () => {
    const seen: string[] = [];
    const query = new URLSearchParams({ limit: '2', reference: 'a&b="<ü', unknown: 'x' });
    let next: string | undefined = `/api/v1/messages?${query.toString()}`;
    while (next !== undefined) {
      const { status, body, headers } = await app.call('GET', next, { key });
      assert.equal(status, 200);
      seen.push(...body.data.messages.map(({ id }: { id: string }) => id));
      ({ next } = linksIn(headers.get('link')));
    }
    assert.equal(new Set(seen).size, 5);
    assert.equal(seen.length, 5);
  });
  it('Link headers name first, prev, next and last where they exist', async () => {
    const at = async (number: number) =>
      linksIn((await app.call('GET', `/api/v1/messages?page=${number}&limit=2`, { key })).headers.get('link'));
    const path = (number: number) => `/api/v1/messages?page=${number}&limit=2`;
    assert.deepEqual(await at(1), { first: path(1), next: path(2), last: path(3) });
    assert.deepEqual(await at(2), { first: path(1), prev: path(1), next: path(3), last: path(3) });
    assert.deepEqual(await at(3), { first: path(1), prev: path(2), last: path(3) });
    assert.deepEqual(await at(9), { first: path(1), prev: path(3), last: path(3) });
  });
  it('Link headers are on every list, also an empty one, and on nothing else', async () => {
    for (const item of endpoints.filter(({ method, path, streams }) => method === 'get' && streams === undefined && !path.includes(':'))) {
      const { status, headers, body } = await app.call('GET', item.path, item.auth === 'jwt' ? { jwt } : { key });
      assert.equal(status, 200, item.id);
      assert.equal(headers.get('link') !== null, body.data?.pagination !== undefined, item.id);
    }
  });
  it('Link headers are omitted when they would be too long for clients', () => {
    const req = { path: '/api/v1/messages', query: { reference: 'ü'.repeat(3000) } };
    assert.equal(linksOf(listMessagesEndpoint, req, { pagination: { page: 1, pages: 2, limit: 50 } }, 'http://x'), undefined);
    const byCursor = { page: 1, pages: null, limit: 50, next_cursor: 'x' };
    assert.equal(linksOf(listMessagesEndpoint, req, { pagination: byCursor }, 'http://x'), undefined);
  });
  it('Link headers of 1,200 bytes have prev and next only, because nginx accepts four kilobytes of headers in all', () => {
    const req = { path: '/api/v1/messages', query: { reference: 'ü'.repeat(60) } };
    const links = linksOf(listMessagesEndpoint, req, { pagination: { page: 2, pages: 3, limit: 50 } }, 'http://127.0.0.1:3000') ?? '';
    assert.ok(links.length <= 1200, `${links.length} bytes`);
    assert.deepEqual(Object.keys(linksIn(links)), ['prev', 'next']);
  });
});

describe('HEAD and OPTIONS', () => {
  const app = useApi();
  let key: string;
  before(async () => {
    ({ key } = await app.account());
  });

  it('HEAD is answered like GET, without a body', async () => {
    for (const [path, options, wanted] of [
      ['/health', {}, 200],
      ['/api/v1/messages', { key }, 200],
      ['/api/v1/messages', {}, 401],
      ['/api/v1/messages/x', { key }, 404],
      ['/openapi.json', {}, 200],
    ] as const) {
      const got = await app.call('GET', path, options);
      const head = await app.call('HEAD', path, options);
      assert.deepEqual([head.status, head.body, head.headers.get('link')], [wanted, undefined, got.headers.get('link')]);
      if (path !== '/health') assert.equal(head.headers.get('content-length'), got.headers.get('content-length'));
    }
  });
  for (const [path, allow] of [
    ['/api/v1/messages', 'GET, HEAD, OPTIONS'],
    ['/api/v1/messages/send', 'POST, OPTIONS'],
    ['/api/v1/webhooks/x', 'GET, PUT, DELETE, HEAD, OPTIONS'],
    ['/callbacks/sandbox', 'POST, OPTIONS'],
    ['/docs', 'GET, HEAD, OPTIONS'],
  ] as const) {
    it(`204 ${allow} for OPTIONS ${path} without a credential`, async () => {
      const { status, body, headers } = await app.call('OPTIONS', path);
      assert.deepEqual([status, body, headers.get('allow')], [204, undefined, allow]);
      assert.equal(headers.get('access-control-allow-origin'), null);
    });
  }
});

describe('CORS', () => {
  const startApi = useApiStarts();
  const preflight = { 'Access-Control-Request-Method': 'POST', 'Access-Control-Request-Headers': 'x-api-key' };
  const allowed = (headers: Headers) => headers.get('access-control-allow-origin');

  it('an answer has no CORS headers by default', async () => {
    const app = await startApi();
    const { headers } = await app.call('GET', '/health', { headers: { Origin: page.origin } });
    assert.equal([...headers.keys()].filter((name) => name.startsWith('access-control-')).length, 0);
  });

  it('CORS_ORIGINS allows exactly the named origins, also on errors, and exposes the headers', async () => {
    const app = await startApi({ CORS_ORIGINS: `${page.origin}, http://localhost:5173` });
    for (const [method, path, status] of [
      ['GET', '/health', 200],
      ['GET', '/api/v1/messages', 401],
      ['GET', '/nothing', 404],
    ] as const) {
      const mine = await app.call(method, path, { headers: { Origin: page.origin } });
      assert.deepEqual([mine.status, allowed(mine.headers), mine.headers.get('vary')], [status, page.origin, 'Origin']);
      const exposed = mine.headers.get('access-control-expose-headers');
      const names = [
        'X-RateLimit-Limit',
        'X-RateLimit-Remaining',
        'X-RateLimit-Reset',
        'X-Request-Id',
        'Link',
        'Retry-After',
        'Idempotent-Replayed',
        'Ignored-Fields',
      ];
      assert.equal(exposed, names.join(', '));
      for (const origin of [page.other, `${page.origin}.evil.example`, 'null', page.origin.toUpperCase()]) {
        const theirs = await app.call(method, path, { headers: { Origin: origin } });
        assert.deepEqual([theirs.status, allowed(theirs.headers), theirs.headers.get('vary')], [status, null, 'Origin']);
      }
    }
  });

  it('204 for preflight requests of CORS without a credential', async () => {
    const app = await startApi({ CORS_ORIGINS: page.origin });
    const mine = await app.call('OPTIONS', '/api/v1/messages/send', { headers: { Origin: page.origin, ...preflight } });
    assert.deepEqual([mine.status, allowed(mine.headers)], [204, page.origin]);
    assert.match(mine.headers.get('access-control-allow-methods') ?? '', /\bPOST\b/);
    assert.match(mine.headers.get('access-control-allow-headers') ?? '', /\bX-API-Key\b/);
    assert.equal(mine.headers.get('access-control-allow-credentials'), null);
    const theirs = await app.call('OPTIONS', '/api/v1/messages/send', { headers: { Origin: page.other, ...preflight } });
    assert.deepEqual([theirs.status, allowed(theirs.headers), theirs.headers.get('access-control-allow-methods')], [204, null, null]);
  });

  it('204 for the preflight request of an allowed origin to an unknown path, so that its page can read the 404', async () => {
    const app = await startApi({ CORS_ORIGINS: page.origin });
    const mine = await app.call('OPTIONS', '/api/v1/mesages/send', { headers: { Origin: page.origin, ...preflight } });
    assert.deepEqual([mine.status, allowed(mine.headers)], [204, page.origin]);
    const theirs = await app.call('OPTIONS', '/api/v1/mesages/send', { headers: { Origin: page.other, ...preflight } });
    assert.deepEqual([theirs.status, allowed(theirs.headers)], [404, null]);
  });

  it('CORS_ORIGINS=* allows every origin', async () => {
    const app = await startApi({ CORS_ORIGINS: '*' });
    assert.equal(allowed((await app.call('GET', '/health', { headers: { Origin: page.other } })).headers), '*');
  });

  for (const bad of [
    'app.example.com',
    'https://app.example.com/',
    'https://App.example.com',
    'https://x.example:443',
    'ftp://x',
    'https://x/y',
  ]) {
    it(`the API does not start with the origin ${bad}`, async () => {
      await assert.rejects(startApi({ CORS_ORIGINS: bad }), /CORS_ORIGINS/);
    });
  }
});
