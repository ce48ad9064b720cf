import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const triesMax = 1_000;

/** Tries to listen on the port. Resolves to the error code, or to undefined on success. */
export function portFault(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}

/**
 * Finds a port of loopback that is free now. Another server may take it before it is used. An outgoing connection does not take it, because Linux
 * gives connections ports from 32768, so it also stays free while a server restarts.
 * @throws Error if none is free
 */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const port = randomInt(20_000, 30_000);
    if ((await portFault(port, '127.0.0.1')) === undefined) return port;
  }
  throw new Error('No port of 127.0.0.1 is free');
}
