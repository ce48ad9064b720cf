/** The ports of the embedded servers. They stay the same between starts if possible. */
import { join } from 'node:path';
import { StartError } from '../output/start-error.js';
import { readState, writeState } from '../state/state-file.js';
import { freePort, portFault } from '../../models/network/free-port.js';

/** @throws StartError when the API cannot listen on this address; the text says what to do */
export async function requireFreePort(port: number, host: string): Promise<void> {
  const fault = await portFault(port, host);
  if (fault === undefined) return;
  const unknown = `HOST ${host} is no name that this machine can resolve: set HOST to 127.0.0.1 or 0.0.0.0.`;
  const sentences: Record<string, string> = {
    EADDRINUSE: `Port ${port} on ${host} is in use by another program: stop it, or set PORT to a free one.`,
    EACCES: `Port ${port} needs more rights than this user has: set PORT to 1024 or higher.`,
    EADDRNOTAVAIL: `HOST ${host} is not an address of this machine: set HOST to 127.0.0.1 or 0.0.0.0.`,
    ENOTFOUND: unknown,
    EAI_AGAIN: unknown, // no DNS server answers
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
    const isOfOther = (port: number) => (this.#givenTo.get(port) ?? name) !== name;
    const wanted = [this.#remembered[name], usual].filter((port) => port !== undefined);
    let port = (await firstFree(wanted.filter((port) => !isOfOther(port)))) ?? (await freePort());
    while (isOfOther(port)) port = await freePort();
    this.#givenTo.set(port, name);
    this.#remembered[name] = port;
    writeState(this.#path, this.#remembered);
    return port;
  }
}

async function firstFree(ports: readonly number[]): Promise<number | undefined> {
  for (const port of ports) if ((await portFault(port, '127.0.0.1')) === undefined) return port;
  return undefined;
}
