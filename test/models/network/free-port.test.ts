import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { freePort, portFault } from '../../../models/network/free-port.js';

describe('a free port', () => {
  it('a free port is not one that an outgoing connection may take before it is used', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(client, 'connect');
    assert.equal(await portFault(client.localPort ?? 0, '127.0.0.1'), 'EADDRINUSE', 'a connection has its port alone');
    // The range of Linux begins at 32768 unless an administrator changes it.
    const ports = await Promise.all(Array.from({ length: 50 }, freePort));
    assert.ok(Math.max(...ports) < 32_768 && (client.localPort ?? 0) >= 32_768, `${ports.join()} and ${client.localPort}`);
    client.destroy();
    server.close();
    await once(server, 'close');
  });
});
