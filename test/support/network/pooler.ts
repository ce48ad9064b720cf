/** A proxy in front of PostgreSQL with the limits of a pooler such as PgBouncer, which not every machine has. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * - `drop-settings`: it ignores settings in the start message of a connection.
 * - `refuse-settings`: it refuses a connection for them.
 * - `transactions`: each transaction may get another server process. So a statement that an earlier transaction prepared does not exist.
 */
export type PoolerMode = 'drop-settings' | 'refuse-settings' | 'transactions';

export interface Pooler {
  /** The URL through the pooler. */
  url: string;
  close(): Promise<void>;
}

const settings = ['options', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];

/** Starts the pooler on a free port of 127.0.0.1. @param databaseUrl without TLS */
export async function startPooler(databaseUrl: string, mode: PoolerMode): Promise<Pooler> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => undefined); // the close of the other end follows
      one.on('close', () => other.destroy());
    }
    const change = mode === 'transactions' ? losingStatements() : (message: Message) => message;
    const read = messagesOf((message) => {
      if (message.type !== '') return void upstream.write(bytesOf(change(message)));
      if (mode === 'refuse-settings') return void client.end(refusal('unsupported startup parameter: statement_timeout'));
      upstream.write(bytesOf(mode === 'drop-settings' ? withoutSettings(message) : message));
    });
    client.on('data', read);
    upstream.on('data', (chunk) => client.write(chunk));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  };
  const { port } = server.address() as AddressInfo;
  return { url: Object.assign(new URL(databaseUrl), { hostname: '127.0.0.1', port: String(port) }).href, close };
}

/** A message of a client. The first one of a connection has no type. */
interface Message {
  type: string;
  body: Buffer;
}

const lengthBytes = 4;

function messagesOf(take: (message: Message) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0);
  let typeBytes = 0;
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= typeBytes + lengthBytes) {
      const end = typeBytes + rest.readInt32BE(typeBytes);
      if (rest.length < end) return;
      const message = { type: rest.toString('latin1', 0, typeBytes), body: rest.subarray(typeBytes + lengthBytes, end) };
      rest = rest.subarray(end);
      typeBytes = 1;
      take(message);
    }
  };
}

function bytesOf({ type, body }: Message): Buffer {
  const length = Buffer.alloc(lengthBytes);
  length.writeInt32BE(body.length + lengthBytes);
  return Buffer.concat([Buffer.from(type), length, body]);
}

/** The body is the version of the protocol, and pairs of name and value. */
function withoutSettings({ body }: Message): Message {
  const words = body.toString('latin1', lengthBytes).split('\0');
  const kept = words.filter((_, place) => !settings.includes(words[place - (place % 2)] ?? ''));
  return { type: '', body: Buffer.concat([body.subarray(0, lengthBytes), Buffer.from(kept.join('\0'), 'latin1')]) };
}

const refusal = (text: string) => bytesOf({ type: 'E', body: Buffer.from(`SFATAL\0C08P01\0M${text}\0\0`) });

/** Gives a prepared statement an unknown name, unless the same group of messages (up to Sync) prepares it. */
function losingStatements(): (message: Message) => Message {
  const prepared = new Set<string>();
  return (message) => {
    const { type, body } = message;
    if (type === 'P') prepared.add(body.toString('latin1', 0, body.indexOf(0)));
    if (type === 'S') prepared.clear();
    const start = body.indexOf(0) + 1; // after the name of the portal
    if (type !== 'B' || prepared.has(body.toString('latin1', start, body.indexOf(0, start)))) return message;
    return { type, body: Buffer.concat([body.subarray(0, start), Buffer.from('lost-'), body.subarray(start)]) };
  };
}
