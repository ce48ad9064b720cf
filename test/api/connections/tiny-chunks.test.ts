/** Bodies in very small chunks, before and after their request was refused. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { useApi } from '../use-api.js';

describe('bodies in tiny chunks', () => {
  const app = useApi();

  /** Sends a request without a key in chunks of this size, then another one. @returns the statuses of the responses, until the connection ends */
  const statusesWith = async (count: number, size: number) => {
    const { hostname, port } = new URL(app.url);
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    await once(socket, 'connect');
    const chunk = `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`;
    socket.write(`POST /api/v1/messages/send HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}`);
    await once(socket, 'readable'); // the response has begun
    socket.write(`${chunk.repeat(count)}0\r\n\r\nGET /live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    const received = await text(socket).catch(() => '');
    return [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
  };

  it('the connection of a refused request ends when its body goes on in thousands of tiny chunks', async () => {
    assert.ok(!(await statusesWith(40_000, 1)).includes(200));
  });

  it('400 for a body in thousands of tiny chunks, and 201 for one that a client writes value by value', async () => {
    const { key } = await app.account({ balance: 1_000 });
    const { hostname, port } = new URL(app.url);
    const send = async (chunks: readonly string[]) => {
      const socket = connect(Number(port), hostname).on('error', () => undefined);
      socket.write(`POST /api/v1/messages/send HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n`);
      socket.write('Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n');
      for (const part of chunks) socket.write(`${Buffer.byteLength(part).toString(16)}\r\n${part}\r\n`);
      socket.write('0\r\n\r\n');
      return text(socket);
    };
    const body = JSON.stringify({ channel: 'sms', to: '+15551234567', content: { text: 'Hello' } });
    const refused = await send([...body.padEnd(20_000)]);
    assert.match(refused, /^HTTP\/1\.1 400 [^]*The body has too many small chunks/);
    assert.match(await send([...body.padEnd(8_000)]), /^HTTP\/1\.1 201 /);
  });

  it('401 and then 200: a refused body in chunks of a kilobyte, or in some tiny ones, is read to its end', async () => {
    assert.deepEqual(await statusesWith(3_000, 1_024), [401, 200]);
    assert.deepEqual(await statusesWith(11_000, 1), [401, 200]);
  });
});
