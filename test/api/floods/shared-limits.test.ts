import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { generateApiKey } from '../../../models/rules/accounts/api-key.js';
import { until } from '../../support/client.js';
import { callTool, listTools, postMcp, sms, useMcp } from '../mcp/mcp-client.js';
import { useApi } from '../use-api.js';

/** Two large bodies are read at a time, and twenty wait. */
const placesOfWorkspace = 22;

describe('large requests of one workspace', () => {
  const app = useApi({ env: { MCP: 'on' } });
  const connectMcp = useMcp(() => app.url);
  const sockets: Socket[] = [];
  after(() => {
    for (const socket of sockets) socket.destroy();
  });

  /** A bulk send whose body is begun and never ends. @returns its answer, if it is refused */
  const drip = async (key: string): Promise<string> => {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    socket.write(`POST /api/v1/messages/bulk HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\nContent-Length: 1000000\r\n\r\n{"to":`);
    const [answer] = await once(socket, 'data');
    return String(answer);
  };

  it('large requests of one workspace are counted together, by the API and by MCP', async () => {
    const [full, other] = [await app.account(), await app.account()];
    const refused = await Promise.race(Array.from({ length: placesOfWorkspace + 1 }, () => drip(full.key)));
    assert.match(refused, /^HTTP\/1\.1 503 /);
    const preview = async (key: string) => callTool(await connectMcp({ 'X-API-Key': key }), 'preview_messages', sms);
    const { isError, data } = await preview(full.key);
    assert.deepEqual([isError, data.error], [true, 'The service is busy. Please try again later.']);
    assert.equal((await preview(other.key)).isError, false);
  });
});

/** So many unknown keys of one address are looked up at a time. */
const lookupsOfAddress = 8;

describe('look-ups of unknown keys from one address', () => {
  const app = useApi({ env: { MCP: 'on' } });
  const callMcp = (headers: Record<string, string>) => postMcp(app.url, headers, listTools);

  it('look-ups of unknown keys of one address are counted together, by the API and by MCP', async () => {
    const { key } = await app.account();
    const { limiter } = app.deps;
    const { assertRoom } = limiter;
    const held: (() => void)[] = [];
    limiter.assertRoom = () => new Promise((resolve) => held.push(resolve)); // it is called when a look-up begins
    const invalid = Array.from({ length: lookupsOfAddress }, () => app.call('GET', '/api/v1/messages', { key: generateApiKey() }));
    await until(async () => held.length === lookupsOfAddress, 'the API looks up keys');
    const valid = callMcp({ 'X-API-Key': key });
    assert.equal((await callMcp({})).status, 401); // by then, the request before it has arrived
    assert.equal(held.length, lookupsOfAddress);
    limiter.assertRoom = assertRoom;
    for (const release of held) release();
    for (const { status } of await Promise.all(invalid)) assert.equal(status, 401);
    assert.equal((await valid).status, 200);
  });
});
