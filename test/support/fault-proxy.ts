/** A TCP proxy that can misbehave: between a process under test and one of its servers. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface FaultProxy {
  /** host:port to give to the process under test */
  address: string;
  /**
   * Lets bytes through from now on, or swallows them: all (`blackhole`), or what the process under test says (`mute`).
   * Connections stay open.
   */
  mode: 'pass' | 'blackhole' | 'mute';
  /** Ends all connections with a reset. */
  reset(): void;
  close(): Promise<void>;
}

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const [host = '127.0.0.1', port = '0'] = target.split(':');
  const sockets = new Set<Socket>();
  const proxy: FaultProxy = {
    address: '',
    mode: 'pass',
    reset: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  const server = createServer((client) => {
    const upstream = connect(Number(port), host);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk) => (proxy.mode === 'pass' || (proxy.mode === 'mute' && from === upstream)) && to.write(chunk));
      from.on('error', () => to.destroy());
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}
