import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { useApi } from '../use-api.js';

const sms = { to: '+15551234567', channel: 'sms', content: { text: 'Hello' } };

describe('slow request bodies', () => {
  const app = useApi({ env: { ACCEPT_GROUP_MAX: '2' }, forEachTest: true });
  let sockets: Socket[];
  beforeEach(() => {
    sockets = [];
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
  });

  /** A send whose body is begun and never ends. */
  const drip = async (key: string, path = '/api/v1/messages/send', length = 1_000) => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Length: ${length}\r\n\r\n{"to":`);
  };

  it('201 for other workspaces during 200 slow connections of one workspace', async () => {
    const [hostile, other] = [await app.account(), await app.account()];
    const keys = [hostile.key];
    for (let index = 0; index < 20; index += 1) {
      keys.push((await app.call('POST', '/api/v1/api-keys', { jwt: hostile.jwt, body: { name: 'k' } })).body.data.key);
    }
    await Promise.all(Array.from({ length: 200 }, (_, index) => drip(keys[index % keys.length] as string)));
    const sends = await Promise.all(
      Array.from({ length: 3 }, () => app.call('POST', '/api/v1/messages/send', { key: other.key, body: sms })),
    );
    assert.deepEqual(
      sends.map(({ status }) => status),
      [201, 201, 201],
    );
  });

  it('201 for other workspaces during large slow bodies', async () => {
    const [hostile, other] = [await app.account(), await app.account()];
    await Promise.all(Array.from({ length: 30 }, () => drip(hostile.key, '/api/v1/messages/preview', 4_000_000)));
    const body = { channel: 'sms', content: { text: 'Hi' }, recipients: ['+15551234567'] };
    assert.equal((await app.call('POST', '/api/v1/messages/preview', { key: other.key, body })).status, 200);
    assert.equal((await app.call('POST', '/api/v1/messages/bulk', { key: other.key, body })).status, 201);
  });

  it('200 for a preview after clients of its workspace left before their bodies were read', async () => {
    const { key } = await app.account();
    const body = { channel: 'sms', content: { text: 'Hi' }, recipients: ['+15551234567'] };
    const text = JSON.stringify(body);
    const head = `POST /api/v1/messages/preview HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Length: ${text.length}\r\n\r\n`;
    for (let count = 0; count < 8; count += 1) {
      const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
      sockets.push(socket);
      socket.write('GET /live HTTP/1.1\r\nHost: x\r\n\r\n'); // only the first request of a connection waits for its turn
      await once(socket, 'data');
      socket.write(head + text, () => socket.destroy());
      await once(socket, 'close');
    }
    assert.equal((await app.call('POST', '/api/v1/messages/preview', { key, body })).status, 200);
  });

  it('413 at once for a slow body whose length is above the limit', async () => {
    const { key } = await app.account();
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(`POST /api/v1/messages/send HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Length: 5000000\r\n\r\n{`);
    const [answer] = await once(socket, 'data');
    assert.match(String(answer), /^HTTP\/1\.1 413 /);
  });

  for (const encoding of ['gzip', 'deflate', 'identity']) {
    it(`201 for a body in ${encoding}, and 413 when it inflates above the limit`, async () => {
      const zlib = await import('node:zlib');
      const encode = { gzip: zlib.gzipSync, deflate: zlib.deflateSync, identity: (bytes: Buffer) => bytes }[encoding];
      const { key } = await app.account();
      const post = (body: unknown) =>
        fetch(`${app.url}/api/v1/messages/send`, {
          method: 'POST',
          headers: { 'X-API-Key': key, 'Content-Encoding': encoding },
          body: new Uint8Array(encode?.(Buffer.from(JSON.stringify(body))) as Buffer),
        });
      assert.equal((await post(sms)).status, 201);
      assert.equal((await post({ ...sms, content: { text: 'x'.repeat(200_000) } })).status, 413);
    });
  }

  it('400 for a body in an unknown or a broken encoding', async () => {
    const { key } = await app.account();
    for (const encoding of ['zip', 'gzip']) {
      const headers = { 'Content-Encoding': encoding };
      const { status, body } = await app.call('POST', '/api/v1/messages/send', { key, body: sms, headers });
      assert.deepEqual([status, body.error], [400, 'Invalid JSON body']);
    }
  });
});

describe('a preview above the size of an answer', () => {
  const app = useApi();

  it('400 for a preview above the size of an answer, without rendering the remaining recipients', async () => {
    const { key } = await app.account();
    const recipients = Array.from({ length: 5_000 }, (_, index) => ({ to: `c${index}@example.com`, name: 'x'.repeat(400) }));
    const body = { channel: 'email', content: { text: '{{name}}'.repeat(200) }, recipients };
    const { status, body: answer } = await app.call('POST', '/api/v1/messages/preview', { key, body });
    assert.deepEqual([status, answer.error], [400, 'recipients have too much text for one preview: preview fewer at once']);
  });
});
