/** Which ports the embedded servers listen on, the same from one start to the next where possible. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { StartError } from '../plan/start-error.js';
import { readState, writeState } from '../plan/state-file.js';

/** Tries to listen; resolves to the error code that forbids it, or to undefined. */
export function portFault(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}

/** Refuses an address of the API that cannot be listened on, with a sentence that says what to do. */
export async function requireFreePort(port: number, host: string): Promise<void> {
  const fault = await portFault(port, host);
  if (fault === undefined) return;
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is used by another program: stop it, or set PORT to a free one.`,
    EACCES: `Port ${port} may not be opened by this user: set PORT to one from 1024 up.`,
    EADDRNOTAVAIL: `HOST ${host} is no address of this machine: set HOST to 127.0.0.1 or 0.0.0.0.`,
  };
  throw new StartError(sentences[fault] ?? `The API cannot listen on ${host}:${port} (${fault}).`);
}

export class PortBook {
  readonly #path: string;
  readonly #remembered: Record<string, number>;
  readonly #givenTo = new Map<number, string>();

  constructor(dataDir: string) {
    this.#path = join(dataDir, 'ports.json');
    this.#remembered = readState<Record<string, number>>(this.#path) ?? {};
  }

  /** A free port of 127.0.0.1: that of the last run, else the usual one, else any. Never gives one to two names. */
  async choose(name: string, usual?: number): Promise<number> {
    const wanted = [this.#remembered[name], usual].filter((port) => port !== undefined);
    for (;;) {
      // Below the range from which systems take ports of outgoing connections: it stays free while a server restarts.
      const port = wanted.shift() ?? randomInt(20_000, 30_000);
      if ((this.#givenTo.get(port) ?? name) !== name || (await portFault(port, '127.0.0.1')) !== undefined) continue;
      this.#givenTo.set(port, name);
      this.#remembered[name] = port;
      writeState(this.#path, this.#remembered);
      return port;
    }
  }
}
