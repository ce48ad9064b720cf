/** A Redis server whose responses a test controls. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A command as a client sent it. */
export interface FakeRedisCommand {
  /** In lower case. */
  name: string;
  /** With its arguments, in the protocol of Redis. */
  text: string;
  /** 1 for the first connection. */
  connection: number;
}

export interface FakeRedis {
  url: string;
  /** How many connections were made. */
  connections(): number;
  close(): void;
}

const replies: Readonly<Record<string, string>> = { info: '$9\r\nloading:0\r\n', hello: '+OK\r\n', client: '+OK\r\n' };

/** What the server replies to the commands with which a client sets up a connection; undefined for any other command. */
export const setUpReply = (name: string): string | undefined => replies[name];

/** @param reply what the server sends for a command; undefined: nothing */
export async function startFakeRedis(reply: (command: FakeRedisCommand) => string | undefined): Promise<FakeRedis> {
  let connections = 0;
  const server = createServer((socket: Socket) => {
    const connection = ++connections;
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      for (const text of data.toString().split(/(?=\*\d+\r\n\$)/)) {
        const sent = reply({ name: text.split('\r\n')[2]?.toLowerCase() ?? '', text, connection });
        if (sent !== undefined) socket.write(sent);
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    close: () => void server.close(),
  };
}
