/** Answers that end too early, or not at all, and connections that were kept too long. */
import assert from 'node:assert/strict';
import { webhookPoster, type WebhookPoster } from '../../../../activities/webhooks/post-webhook.js';
import { until } from '../../../support/client.js';
import { testConfig } from '../../../support/config.js';
import { acknowledge, type Answer, type Receiver, startReceiver, trustTestAuthority } from '../../../support/network/receiver.js';

describe('webhookPoster with a broken connection', () => {
  const closing: (() => void | Promise<void>)[] = [];
  before(trustTestAuthority);
  afterEach(async () => {
    for (const close of closing.splice(0)) await close();
  });

  const receiverWith = async (answer: Answer): Promise<Receiver> => {
    const receiver = await startReceiver(answer);
    closing.push(() => receiver.close());
    return receiver;
  };
  const posterWith = (totalTimeoutMs = 60_000): WebhookPoster => {
    const poster = webhookPoster(testConfig(), { totalTimeoutMs });
    closing.push(() => poster.close());
    return poster;
  };

  const statuses = [200, 410, 503];
  const begin =
    (status: number): Answer =>
    (_received, response) =>
      void response.writeHead(status, { 'Content-Length': '100', 'Retry-After': '17' }).write('half');
  const resultsOf = async (answer: (status: number) => Answer, poster: WebhookPoster) => {
    const receivers = await Promise.all(statuses.map((status) => receiverWith(answer(status))));
    const results = await Promise.all(receivers.map(({ url }) => poster.post(url, {}, '{}')));
    return results.map(({ error, responseStatus, retryAfter }) => [error, responseStatus, retryAfter]);
  };

  it('the status and the requested wait of an answer are known if its body does not end in time', async () => {
    const expected = statuses.map((status) => ['timeout', status, '17']);
    assert.deepEqual(await resultsOf(begin, posterWith(5_000)), expected);
  });

  it('the status and the requested wait of an answer are known if the connection closes in its body', async () => {
    const closeAfter =
      (status: number): Answer =>
      (received, response, index) => {
        begin(status)(received, response, index);
        response.write('more', () => response.socket?.destroy());
      };
    const expected = statuses.map((status) => ['reset', status, '17']);
    assert.deepEqual(await resultsOf(closeAfter, posterWith()), expected);
  });

  const tooMuch: [status: number, error: string | null][] = [
    [200, null],
    [204, null],
    [410, 'gone'],
    [503, 'http_status'],
  ];
  for (const [status, error] of tooMuch) {
    it(`an answer ${status} with a body longer than it says counts by its status`, async () => {
      const length = status === 204 ? '' : 'Content-Length: 2\r\n';
      const receiver = await receiverWith((_received, { socket }) => socket?.write(`HTTP/1.1 ${status} X\r\n${length}\r\nGrüße`));
      const poster = posterWith();
      for (const body of ['{"of": 1}', '{"of": 2}']) {
        const result = await poster.post(receiver.url, {}, body);
        assert.deepEqual([result.error, result.responseStatus], [error, status]);
      }
      assert.equal(receiver.received.length, 2);
    });
  }

  it('the beginning of a long answer is kept if all of it arrives at once', async () => {
    const receiver = await receiverWith((_received, response) => void response.end('The page of an error. '.repeat(20_000)));
    const { responseBody, responseStatus } = await posterWith().post(receiver.url, {}, '{}');
    assert.deepEqual([responseStatus, responseBody?.slice(0, 22)], [200, 'The page of an error. ']);
  });

  it('a connection on which something arrives after the answer is closed', async () => {
    const receiver = await receiverWith((received, response, index) => {
      const { socket } = response;
      acknowledge(received, response, index);
      socket?.on('error', () => undefined).on('close', () => (closed += 1));
      response.on('finish', () => {
        const more = setInterval(() => socket?.write(' '), 500); // so it is never idle
        socket?.on('close', () => clearInterval(more));
      });
    });
    let closed = 0;
    const poster = posterWith();
    await poster.post(receiver.url, {}, '{"of": 1}');
    await until(() => closed === 1, 'the connection is closed');
    const { error, responseStatus } = await poster.post(receiver.url, {}, '{"of": 2}');
    assert.deepEqual([error, responseStatus, receiver.received.length], [null, 200, 2]);
  });

  it('a kept connection that closes without an answer is replaced once', async () => {
    const receiver = await receiverWith((received, response, index) => {
      if (index === 1) response.socket?.destroy();
      else acknowledge(received, response, index);
    });
    const poster = posterWith();
    await poster.post(receiver.url, {}, '{"of": 1}');
    const { error, responseStatus } = await poster.post(receiver.url, {}, '{"of": 2}');
    assert.deepEqual([error, responseStatus], [null, 200]);
    assert.deepEqual(
      receiver.received.map(({ body }) => body),
      ['{"of": 1}', '{"of": 2}', '{"of": 2}'],
    );
  });

  it('a receiver that closes the new connection too counts as a reset connection', async () => {
    const receiver = await receiverWith((received, response, index) => {
      if (index > 0) response.socket?.destroy();
      else acknowledge(received, response, index);
    });
    const poster = posterWith();
    await poster.post(receiver.url, {}, '{}');
    const { error, responseStatus } = await poster.post(receiver.url, {}, '{}');
    assert.deepEqual([error, responseStatus, receiver.received.length], ['reset', null, 3]);
  });

  // Neither has an end, and in both hardly anything is a body.
  const floods: [what: string, head: string, unit: string, expected: [error: string | null, status: number | null]][] = [
    ['interim answers', '', 'HTTP/1.1 103 Early Hints\r\n\r\n', ['network', null]],
    ['empty lines', '', '\r\n', ['network', null]],
    ['chunk extensions', 'HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n', `1;${'a'.repeat(16_000)}\r\nx\r\n`, [null, 200]],
  ];
  for (const [what, head, unit, expected] of floods) {
    it(`a receiver that floods a connection with ${what} is cut off, and other work of the process goes on`, async () => {
      const block = unit.repeat(Math.ceil(65_536 / unit.length));
      let sent = 0;
      const receiver = await receiverWith((_received, { socket }) => {
        const flood = () => {
          do sent += block.length;
          while (socket?.destroyed === false && socket.write(block));
        };
        socket?.on('error', () => undefined).on('drain', flood);
        socket?.write(head);
        flood();
      });
      const { error, responseStatus } = await posterWith().post(receiver.url, {}, '{}');
      assert.deepEqual([error, responseStatus], expected);
      assert.ok(sent < 32 * 1024 * 1024, `${sent} bytes were taken`); // most of them fill buffers of the system
    });
  }
});
