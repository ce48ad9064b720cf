import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { signSandboxCallback } from '../../../models/rules/callbacks/sandbox.js';
import { useApi } from '../use-api.js';

const logIn = '/api/v1/auth/login';

describe('bodies without a credential that do not end', () => {
  const app = useApi({ env: { TRUSTED_PROXIES: '127.0.0.1' }, forEachTest: true });
  let sockets: Socket[];
  beforeEach(() => {
    sockets = [];
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
  });

  /** A callback that looks signed, of which all but the last byte is sent. */
  const hold = async (address: string, bytes: number) => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    const head = ['POST /callbacks/sandbox HTTP/1.1', 'Host: x', `X-Forwarded-For: ${address}`, `Content-Length: ${bytes + 1}`];
    const signature = ['X-Sandbox-Timestamp: 1', `X-Sandbox-Signature: ${'0'.repeat(64)}`];
    socket.write(`${[...head, ...signature].join('\r\n')}\r\n\r\n`);
    await new Promise((resolve) => socket.write(Buffer.alloc(bytes, ' '), resolve));
  };
  const holdAll = (addresses: readonly string[]) =>
    Promise.all(addresses.flatMap((address) => Array.from({ length: 10 }, () => hold(address, 400_000))));

  const post = (address: string, path: string, body: string, headers: Record<string, string> = {}) =>
    app.call('POST', path, { body, headers: { ...headers, 'X-Forwarded-For': address } });
  /** The status for a body that is no JSON. */
  const largeBody = async (address: string) => (await post(address, logIn, 'x'.repeat(40_000))).status;
  /** Holds bodies until there is room for almost none. */
  const fill = async (fresh: (index: number) => string) => {
    let index = 0;
    while ((await largeBody(fresh(index))) === 400) {
      assert.ok(index < 200, 'the memory is never full');
      await hold(fresh((index += 1)), 30_000);
    }
    for (let small = 1; small <= 10; small += 1) await hold(fresh(index + small), 4_000);
  };
  const padded = (json: string) => json.padEnd(20_000);

  it('400 for a login and 200 for a delivery report from other addresses while they fill the memory for bodies', async () => {
    await holdAll(Array.from({ length: 10 }, (_, index) => `203.0.113.${index + 1}`));
    await fill((index) => `198.51.100.${index}`);
    assert.equal((await post('192.0.2.1', logIn, padded('{}'))).status, 400);
    const reports = padded('{"reports":[]}');
    const signed = signSandboxCallback(app.deps.config.secretKey, reports);
    assert.equal((await post('192.0.2.2', '/callbacks/sandbox', reports, signed)).status, 200);
  });

  it('400 for a large body from another address while all networks of an IPv6 site hold bodies', async () => {
    await holdAll(Array.from({ length: 10 }, (_, index) => `2001:db8:1:${index + 1}::1`));
    await fill((index) => `2001:db8:1:${1_000 + index}::1`);
    assert.equal(await largeBody('2001:db8:2:1::1'), 400);
    assert.equal((await post('2001:db8:1:201::1', logIn, padded('{}'))).status, 400);
  });
});
