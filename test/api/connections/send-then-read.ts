import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

const chunkBytes = 16 * 1024;

/** Sends a head and a body in small pieces, each when the system has taken the one before, and reads the answer only afterwards. */
export async function sendThenRead(url: string, head: string, body: Buffer): Promise<string> {
  const { port, hostname } = new URL(url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  socket.on('error', () => undefined); // the next step fails
  await once(socket, 'connect');
  const write = (piece: string | Buffer) =>
    new Promise<void>((resolve, reject) => {
      socket.write(piece, (error) => (error instanceof Error ? reject(error) : resolve()));
    });
  await write(head);
  for (let from = 0; from < body.length; from += chunkBytes) await write(body.subarray(from, from + chunkBytes));
  return text(socket);
}
