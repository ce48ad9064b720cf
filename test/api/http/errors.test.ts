import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { connect } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import pg from 'pg';
import { rows } from '../../support/database.js';
import type { Answer } from '../start-app.js';
import { useApi } from '../use-api.js';

const send = '/api/v1/messages/send';

describe('answers outside the endpoints', () => {
  const app = useApi();
  let key: string;
  before(async () => {
    ({ key } = await app.account());
  });

  for (const [method, path] of [
    ['GET', '/'],
    ['GET', '/api/v1'],
    ['GET', '/api/v1/nothing'],
    ['PATCH', '/api/v1/messages/send'],
    ['PUT', '/api/v1/messages/send'],
    ['GET', '/api/v1/messages/send'],
    ['GET', '/api/v1/messages/preview'],
    ['PUT', '/api/v1/webhooks/events'],
    ['DELETE', '/api/v1/webhooks/events'],
    ['DELETE', '/health'],
    ['OPTIONS', '/api/v1/nothing'],
    ['PROPFIND', '/api/v1/messages'],
    ['GET', '/api/v1/messages/'],
    ['GET', '/API/v1/messages'],
    ['GET', '/api/v1/messages/%E0%A4%A'],
    ['GET', '/api/v1/messages/x/y/z'],
  ] as const) {
    it(`404 for ${method} ${path}`, async () => {
      const { status, body } = await app.call(method, path, { key });
      assert.deepEqual([status, body.error, body.code], [404, 'Not found', 'not_found']);
    });
  }

  it('404 for a fixed path with the method of an id, also without a credential', async () => {
    const { status, body } = await app.call('GET', '/api/v1/messages/send');
    assert.deepEqual([status, body.error], [404, 'Not found']);
  });

  it('404 for HEAD of an unknown path, without a body', async () => {
    const { status, body } = await app.call('HEAD', '/nothing');
    assert.deepEqual([status, body], [404, undefined]);
  });

  describe('request ids', () => {
    it('a valid request id of the client is returned', async () => {
      const { headers } = await app.call('GET', '/health', { headers: { 'X-Request-Id': 'abc.DEF-1_2' } });
      assert.equal(headers.get('x-request-id'), 'abc.DEF-1_2');
    });
    for (const bad of ['a b', 'x'.repeat(65), 'a/b', '<script>']) {
      it(`a bad request id is replaced: ${bad.slice(0, 20)}`, async () => {
        const { headers } = await app.call('GET', '/health', { headers: { 'X-Request-Id': bad } });
        assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
      });
    }
  });

  describe('bodies', () => {
    const body = { to: '+15551234567', channel: 'sms', content: { text: 'x' } };
    for (const text of ['{', '[]', '"x"', 'to=1', 'null']) {
      it(`400 for the body ${text}`, async () => {
        const answer = await app.call('POST', send, { key, body: text });
        assert.deepEqual([answer.status, answer.body.error], [400, 'Invalid JSON body']);
        assert.deepEqual(answer.body.details, [{ field: '', message: 'Invalid JSON body' }]);
        assert.equal(answer.body.hints.length, 1);
      });
    }
    it('400 for a send without a body names every required field', async () => {
      const answer = await app.call('POST', send, { key });
      assert.equal(answer.status, 400);
      assert.deepEqual(
        answer.body.details.map(({ field }: { field: string }) => field),
        ['to', 'channel', 'content.text'],
      );
    });
    it('201 for a send in JSON with any content type', async () => {
      const answer = await app.call('POST', send, { key, body, headers: { 'Content-Type': 'text/plain' } });
      assert.equal(answer.status, 201);
    });
    it('400 for a body in another encoding names the encodings, and a broken one says what it is not', async () => {
      const post = (encoding: string, bytes: Buffer) =>
        fetch(app.url + send, { method: 'POST', headers: { 'X-API-Key': key, 'Content-Encoding': encoding }, body: new Uint8Array(bytes) });
      const packed = gzipSync(JSON.stringify(body));
      for (const encoding of ['br', 'gzip, gzip']) {
        const answer = await post(encoding, packed);
        assert.deepEqual([answer.status, answer.headers.get('accept-encoding')], [400, 'gzip, deflate']);
        assert.match(await answer.text(), /"Invalid JSON body"}\],"hints":\["The Content-Encoding must be gzip or deflate, or be absent"/);
      }
      for (const bytes of [packed.subarray(0, 30), Buffer.from('{}')]) {
        assert.match(await (await post('gzip', bytes)).text(), /"Invalid JSON body"}\],"hints":\["The body is not valid gzip"/);
      }
      assert.deepEqual([(await post('x-gzip', packed)).status, (await post('', Buffer.from(JSON.stringify(body)))).status], [201, 201]);
    });
    it('413 for a body above 100 kB', async () => {
      for (const size of [102_400, 4_000_000]) {
        const answer = await app.call('POST', send, { key, body: { ...body, padding: 'x'.repeat(size) } });
        assert.deepEqual([answer.status, answer.body.error, answer.body.code], [413, 'Request body too large', 'payload_too_large']);
      }
    });
    it('401 without a key, before the 413 and the 400 of its body', async () => {
      const answer = await app.call('POST', send, { body: 'x'.repeat(200_000) });
      assert.deepEqual([answer.status, answer.body.error], [401, 'Missing X-API-Key header']);
    });
    it('a body of 99 kB is read', async () => {
      const answer = await app.call('POST', send, { key, body: { ...body, padding: 'x'.repeat(99_000) } });
      assert.equal(answer.status, 201);
    });
  });

  it('an answer has the security headers', async () => {
    const { headers } = await app.call('GET', '/health');
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.ok(headers.get('content-security-policy'));
    assert.equal(headers.get('etag'), null);
  });

  for (const [what, said, status, text] of [
    ['nonsense', 'nonsense', 400, 'Malformed HTTP request'],
    ['no Host', 'GET /health HTTP/1.1\r\nConnection: close', 400, 'Malformed HTTP request'],
    ['two lengths', 'POST /health HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked', 400, 'Malformed HTTP request'],
    ['20 kB of headers', `GET /health HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}`, 431, 'Request headers too large'],
  ] as const) {
    it(`${status} for what is not HTTP: ${what}`, async () => {
      const answer = await exchange(app.url, said);
      assert.equal(answer.status, status);
      assert.deepEqual(Object.keys(answer.body), ['success', 'error', 'code', 'message', 'request_id', 'details']);
      assert.deepEqual(answer.body.details, [{ field: '', message: text }]);
      assert.equal(answer.headers.get('x-request-id'), answer.body.request_id);
      for (const name of ['limit', 'remaining', 'reset']) assert.match(answer.headers.get(`x-ratelimit-${name}`) ?? '', /^\d+$/);
    });
  }
  for (const said of ['FOO /health HTTP/1.1', 'get /health HTTP/1.1', 'CONNECT x:443 HTTP/1.1']) {
    it(`404 for a method that the parser of HTTP does not know or pass on: ${said}`, async () => {
      const { status, body, headers } = await exchange(app.url, `${said}\r\nHost: x`);
      assert.deepEqual([status, body.error, body.code, body.success], [404, 'Not found', 'not_found', false]);
      assert.equal(headers.get('x-request-id'), body.request_id);
      assert.match(headers.get('x-ratelimit-limit') ?? '', /^\d+$/);
    });
  }
  it('200 for any Expect header', async () => {
    const { status } = await exchange(app.url, 'GET /health HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close');
    assert.equal(status, 200);
  });
});

describe('a database that fails', () => {
  const text = 'Internal server error. Please try again later.';
  const app = useApi({ forEachTest: true });
  let key: string;
  beforeEach(async () => {
    ({ key } = await app.account());
  });

  it('500 with the fixed text only when a statement of the database fails', async () => {
    await app.deps.db.query('ALTER TABLE messages RENAME TO messages_away');
    const { status, body } = await app.call('GET', '/api/v1/messages?channel=sms', { key });
    await app.deps.db.query('ALTER TABLE messages_away RENAME TO messages');
    assert.deepEqual([status, body.error, body.code], [500, text, 'internal_error']);
  });

  it('500 without the database, and 200 when it is back', async () => {
    const { db } = app.deps;
    const [{ name } = { name: '' }] = await rows<{ name: string }>(db, 'SELECT current_database() AS name');
    await db.query(`UPDATE pg_database SET datallowconn = false WHERE datname = '${name}'`);
    await db.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`).catch(() => undefined);
    const away = await app.call('GET', '/api/v1/messages', { key });
    assert.deepEqual([away.status, away.body.error], [500, text]);
    const health = await app.call('GET', '/health');
    assert.deepEqual([health.status, health.body.services.database], [503, 'error']);
    await administer(`UPDATE pg_database SET datallowconn = true WHERE datname = '${name}'`);
    assert.equal((await app.call('GET', '/api/v1/messages', { key })).status, 200);
  });
});

async function administer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: `${process.env.TEST_DATABASE_SERVER}/postgres` });
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** Says the head of a request as it stands, and reads the answer until the connection is closed. */
async function exchange(url: string, head: string): Promise<Answer> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(`${head}\r\n\r\n`);
  const said = await textOf(socket);
  const [first = '', ...lines] = said.slice(0, said.indexOf('\r\n\r\n')).split('\r\n');
  const headers = new Headers(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
  return { status: Number(first.split(' ')[1]), headers, body: JSON.parse(said.slice(said.indexOf('\r\n\r\n'))) };
}
