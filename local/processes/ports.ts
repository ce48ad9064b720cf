/** The ports of the embedded servers. They stay the same between starts if possible. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { StartError } from '../plan/start-error.js';
import { readState, writeState } from '../plan/state-file.js';

/** Tries to listen on the port. Resolves to the error code, or to undefined on success. */
export function portFault(port: number, host: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}

/** @throws StartError when the API cannot listen on this address; the text says what to do */
export async function requireFreePort(port: number, host: string): Promise<void> {
  const fault = await portFault(port, host);
  if (fault === undefined) return;
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is in use by another program: stop it, or set PORT to a free one.`,
    EACCES: `Port ${port} needs more rights than this user has: set PORT to 1024 or higher.`,
    EADDRNOTAVAIL: `HOST ${host} is not an address of this machine: set HOST to 127.0.0.1 or 0.0.0.0.`,
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

  /** Chooses a free port on 127.0.0.1: that of the last run, else the usual one, else a random one. Two names never get the same port. */
  async choose(name: string, usual?: number): Promise<number> {
    const wanted = [this.#remembered[name], usual].filter((port) => port !== undefined);
    for (;;) {
      // Below the range of ports for outgoing connections, so that the port stays free while a server restarts.
      const port = wanted.shift() ?? randomInt(20_000, 30_000);
      if ((this.#givenTo.get(port) ?? name) !== name || (await portFault(port, '127.0.0.1')) !== undefined) continue;
      this.#givenTo.set(port, name);
      this.#remembered[name] = port;
      writeState(this.#path, this.#remembered);
      return port;
    }
  }
}
