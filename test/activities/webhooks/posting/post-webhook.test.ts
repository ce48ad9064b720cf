import assert from 'node:assert/strict';
import { type AddressInfo, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { type PosterOptions, type PostResult, webhookPoster, type WebhookPoster } from '../../../../activities/webhooks/post-webhook.js';
import { testConfig } from '../../../support/config.js';
import {
  acknowledge,
  type Answer,
  answerWith,
  type Receiver,
  startReceiver,
  trustTestAuthority,
} from '../../../support/network/receiver.js';
import { assertRecent } from '../../../support/measure/times.js';

const body = '{"event":"message.sent","text":"Grüße 😀"}';
const headers = { 'Content-Type': 'application/json', 'X-Service-Event': 'message.sent', 'webhook-id': 'evt-1' };
/** Deadline of the tests; the real one is 10 s. */
const quick = { totalTimeoutMs: 400 };

describe('webhookPoster', () => {
  const closing: (() => void | Promise<void>)[] = [];
  before(trustTestAuthority);
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  const posterWith = (options: PosterOptions = {}, env: NodeJS.ProcessEnv = {}): WebhookPoster => {
    const poster = webhookPoster(testConfig(env), options);
    closing.push(() => poster.close());
    return poster;
  };
  const receive = async (...args: Parameters<typeof startReceiver>): Promise<Receiver> => {
    const receiver = await startReceiver(...args);
    closing.push(() => receiver.close());
    return receiver;
  };
  /** Posts to a receiver that answers like this. */
  const postTo = async (answer: Answer, options: PosterOptions = {}): Promise<PostResult> =>
    posterWith(options).post((await receive(answer)).url, headers, body);
  const summary = ({ error, responseStatus, responseBody }: PostResult) => ({ error, responseStatus, responseBody });
  const nothing = { responseStatus: null, responseBody: null };

  it('a delivery is one POST with exactly the given bytes and headers', async () => {
    const receiver = await receive();
    const result = await posterWith().post(receiver.url, headers, body);
    assert.deepEqual(summary(result), { error: null, responseStatus: 200, responseBody: 'ok' });
    assertRecent(result.at);
    assert.ok(result.durationMs >= 0);
    const [request, ...others] = receiver.received;
    assert.deepEqual(others, []);
    assert.equal(request?.body, body);
    const { connection: _, host, ...sent } = request?.headers ?? {};
    assert.equal(host, `127.0.0.1:${receiver.port}`);
    const expected = { 'content-type': 'application/json', 'x-service-event': 'message.sent', 'webhook-id': 'evt-1' };
    assert.deepEqual(sent, { ...expected, 'content-length': String(Buffer.byteLength(body)), 'accept-encoding': 'identity' });
  });

  it('a delivery that was answered leaves no timer behind', async () => {
    const { url } = await receive();
    const poster = posterWith({ totalTimeoutMs: 60_000 });
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    await poster.post(url, headers, body);
    assert.equal(timers(), before);
  });

  it('a delivery is not delayed by hundreds of hanging requests to one host', async () => {
    const receiver = await receive((received, ...rest) => {
      if (received.headers['webhook-id'] === 'evt-1') acknowledge(received, ...rest);
    });
    const poster = posterWith({ totalTimeoutMs: 60_000 });
    const hang = () => poster.post(receiver.url, { ...headers, 'webhook-id': 'evt-0' }, body);
    const hanging = Array.from({ length: 260 }, hang);
    await receiver.untilReceived(260);
    assert.equal((await poster.post(receiver.url, headers, body)).error, null);
    poster.close();
    assert.equal((await hanging[0])?.error, 'reset');
  });

  for (const status of [200, 201, 202, 204, 299]) {
    it(`a delivery is acknowledged by status ${status}`, async () => {
      assert.deepEqual(summary(await postTo(answerWith(status))), { error: null, responseStatus: status, responseBody: null });
    });
  }

  for (const status of [400, 404, 410, 429, 500, 503]) {
    it(`a delivery fails with status ${status}, which is stored`, async () => {
      const result = await postTo(answerWith(status, { 'Retry-After': '17' }));
      assert.deepEqual(summary(result), { error: status === 410 ? 'gone' : 'http_status', responseStatus: status, responseBody: null });
      assert.equal(result.retryAfter, '17');
    });
  }

  for (const status of [301, 302, 303, 307, 308]) {
    it(`a delivery fails with redirect ${status}, which is not followed`, async () => {
      const target = await receive();
      assert.deepEqual(summary(await postTo(answerWith(status, { Location: target.url }))), {
        error: 'redirect',
        responseStatus: status,
        responseBody: null,
      });
      assert.deepEqual(target.received, []);
    });
  }

  it('a delivery times out if its receiver never answers', async () => {
    const result = await postTo(() => undefined, quick);
    assert.deepEqual(summary(result), { error: 'timeout', ...nothing });
    assert.ok(result.durationMs >= 380 && result.durationMs < 2_000, `${result.durationMs} ms`);
  });

  it('a delivery fails at one deadline for headers and body of the answer', async () => {
    const drip: Answer = (_received, response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write('.'), 20);
      response.on('close', () => clearInterval(timer));
    };
    assert.deepEqual(summary(await postTo(drip, quick)), { error: 'timeout', ...nothing, responseStatus: 200 });
  });

  it('a delivery fails if the headers of the answer never end', async () => {
    const endless: Answer = (_received, { socket }) => {
      socket?.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket?.write(`X-Filler: ${'x'.repeat(512)}\r\n`), 1);
      socket?.on('close', () => clearInterval(timer)).on('error', () => undefined);
    };
    assert.deepEqual(summary(await postTo(endless, { totalTimeoutMs: 3_000 })), { error: 'network', ...nothing });
  });

  it('a delivery with an endless answer counts by the status, and only a small part is read', async () => {
    let written = 0;
    const endless: Answer = (_received, response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed) {
          written += 65_536;
          if (!response.write('y'.repeat(65_536))) return void response.once('drain', more);
        }
      };
      more();
    };
    const result = await postTo(endless, { totalTimeoutMs: 5_000 });
    assert.deepEqual(summary(result), { error: null, responseStatus: 200, responseBody: 'y'.repeat(1_024) });
    assert.ok(written < 20_000_000, `the receiver could write ${written} bytes`);
  });

  it('any bytes of an answer are stored as text that the database accepts', async () => {
    const odd = Buffer.from([0x61, 0x00, 0xff, 0xc3, 0xbc]);
    const { responseBody } = await postTo((_received, response) => void response.writeHead(200).end(odd));
    assert.equal(responseBody, 'a\uFFFD\uFFFDü');
    const cut = await postTo((_received, response) => void response.writeHead(500).end(`${'x'.repeat(1_023)}ü`));
    assert.equal(cut.responseBody?.isWellFormed(), true);
    assert.ok((cut.responseBody?.length ?? 0) <= 1_024);
  });

  it('a compressed answer is not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const { responseBody, error } = await postTo(
      (_received, response) => void response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb),
    );
    assert.equal(error, null);
    assert.ok((responseBody?.length ?? 0) <= 1_024);
    assert.notEqual(responseBody?.replaceAll('\uFFFD', ''), '', 'unpacked it would be 1,024 NULs, which are stored as U+FFFD');
  });

  it('a delivery fails as a reset connection if its receiver hangs up without an answer', async () => {
    const hangUp: Answer = (_received, response) => void response.socket?.destroy();
    assert.deepEqual(summary(await postTo(hangUp)), { error: 'reset', ...nothing });
  });

  it('a delivery fails if its receiver wants another protocol, and no call hangs', async () => {
    const upgrade: Answer = (_received, { socket }) =>
      void socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n');
    assert.deepEqual(summary(await postTo(upgrade)), { error: 'http_status', responseStatus: 101, responseBody: null });
  });

  it('a delivery fails as a refused connection if nobody listens at the port', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    assert.deepEqual(summary(await posterWith().post(`https://127.0.0.1:${port}/`, headers, body)), { error: 'refused', ...nothing });
  });
});
