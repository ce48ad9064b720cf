/** A TCP proxy with faults, between a process under test and one of its servers. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * - `pass`: bytes go through, after `delayMs` in each direction.
 * - `blackhole`: all bytes are dropped. `mute`: only those of the process under test are dropped.
 * - `stall`: no bytes pass. They arrive when the mode changes, as with TCP after a network partition.
 *   `stall-requests`, `stall-answers`: the same in one direction only.
 * - `refuse`: every new connection is reset. Call `reset` to end open connections, too.
 * - `lose-answers`: requests pass. At the first byte of the response both ends are reset: the server did its work, but the client does not know.
 * - `lose-set-ups`: for PostgreSQL. The login passes. At the first query without parameters, with which a client sets up a connection, both ends
 *   are reset.
 */
export type FaultMode =
  | 'pass'
  | 'blackhole'
  | 'mute'
  | 'stall'
  | 'stall-requests'
  | 'stall-answers'
  | 'refuse'
  | 'lose-answers'
  | 'lose-set-ups';

export interface FaultProxy {
  /** host:port for the process under test. */
  address: string;
  /** The fault from now on, also for open connections. Only `refuse`, `lose-…` and `reset` end connections. */
  mode: FaultMode;
  /** Milliseconds by which each chunk is delayed in mode `pass`; 0 unless set. Order is kept. */
  delayMs: number;
  /** Resets all connections. */
  reset(): void;
  close(): Promise<void>;
}

/** The target as host:port. A function is called for each connection, and again while a target refuses, at most `triesMax` times. */
export type Target = string | (() => string);

type Direction = 'requests' | 'answers';

const swallowing: Readonly<Partial<Record<FaultMode, readonly Direction[]>>> = { blackhole: ['requests', 'answers'], mute: ['requests'] };
const stalling: Readonly<Partial<Record<FaultMode, readonly Direction[]>>> = {
  stall: ['requests', 'answers'],
  'stall-requests': ['requests'],
  'stall-answers': ['answers'],
};
/** The first byte of a query without parameters in the protocol of PostgreSQL. */
export const simpleQuery = 'Q'.charCodeAt(0);
/** If a target is down, the function is called again for another one. */
const triesMax = 2;

/** One direction of one connection. */
class Pipe {
  #isEnded = false;
  /** Resolves when all delayed chunks are written. */
  #pending: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(
    readonly from: Socket,
    private readonly to: Socket,
    private readonly direction: Direction,
    private readonly proxy: Pick<FaultProxy, 'mode' | 'delayMs'>,
  ) {
    from.on('data', (chunk) => this.#carry(chunk));
    from.on('error', () => to.resetAndDestroy());
    from.on('end', () => this.#inTurn(() => void to.end()));
    from.on('close', () => this.#inTurn(() => void to.end()));
    this.obey();
  }

  /** Pauses or resumes reading, depending on the mode. */
  obey(): void {
    const isStalled = stalling[this.proxy.mode]?.includes(this.direction) === true;
    if (isStalled) this.from.pause();
    else if (this.from.isPaused()) this.from.resume();
  }

  #carry(chunk: Buffer): void {
    const { mode } = this.proxy;
    if (swallowing[mode]?.includes(this.direction) === true) return;
    const isSetUp = this.direction === 'requests' && chunk[0] === simpleQuery;
    if (mode === 'lose-answers' ? this.direction === 'answers' : mode === 'lose-set-ups' && isSetUp) {
      this.from.resetAndDestroy();
      this.to.resetAndDestroy();
      return;
    }
    this.#inTurn(() => void this.to.write(chunk));
  }

  /** Runs the action after all earlier ones, and after the delay. */
  #inTurn(act: () => void): void {
    const { delayMs } = this.proxy;
    if (this.#isEnded) return;
    if (delayMs === 0 && this.#waiting === 0) return act();
    this.#waiting += 1;
    const due = new Promise<void>((resolve) => setTimeout(resolve, delayMs));
    this.#pending = Promise.all([this.#pending, due]).then(() => {
      this.#waiting -= 1;
      if (this.to.writable) act();
      else this.#isEnded = true;
    });
  }
}

/** Starts the proxy on a free port of 127.0.0.1. */
export async function startFaultProxy(target: Target): Promise<FaultProxy> {
  const pipes = new Set<Pipe>();
  let mode: FaultMode = 'pass';
  const proxy: FaultProxy = {
    address: '',
    get mode() {
      return mode;
    },
    set mode(next) {
      mode = next;
      for (const pipe of pipes) pipe.obey();
    },
    delayMs: 0,
    reset: () => {
      for (const { from } of pipes) from.resetAndDestroy();
    },
    close: async () => {
      for (const { from } of pipes) from.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  const server = createServer((client) => {
    client.on('error', () => undefined); // the pipe resets the other end
    if (mode === 'refuse') return void client.resetAndDestroy();
    reach(target, client, triesMax, (upstream) => {
      for (const pipe of [new Pipe(client, upstream, 'requests', proxy), new Pipe(upstream, client, 'answers', proxy)]) {
        pipes.add(pipe);
        pipe.from.on('close', () => pipes.delete(pipe));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  proxy.address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return proxy;
}

/** Connects to the target. If the target refuses, the client connection is reset. */
function reach(target: Target, client: Socket, tries: number, connected: (upstream: Socket) => void): void {
  const [host = '127.0.0.1', port = '0'] = (typeof target === 'string' ? target : target()).split(':');
  const upstream = connect(Number(port), host);
  const fail = () => {
    if (tries > 1 && typeof target !== 'string' && !client.destroyed) reach(target, client, tries - 1, connected);
    else client.resetAndDestroy();
  };
  upstream.once('error', fail);
  upstream.once('connect', () => {
    upstream.off('error', fail);
    if (client.destroyed) upstream.destroy();
    else connected(upstream);
  });
}
