/** A load balancer before the API processes of two versions: new connections go to the present one, open ones stay where they are. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream';

export interface Balancer {
  port: number;
  /** From now on new connections go to this port. */
  sendTo(port: number): void;
  close(): Promise<void>;
}

export async function startBalancer(first: number): Promise<Balancer> {
  let target = first;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1');
    open.add(client);
    // A connection that either side breaks is broken for the other side too; the client repeats its call.
    pipeline(client, upstream, () => undefined);
    pipeline(upstream, client, () => open.delete(client));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    sendTo: (port) => void (target = port),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}
