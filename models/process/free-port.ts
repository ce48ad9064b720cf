import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Finds a port of loopback that is free now. Another program may take it before it is used. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
