/** A TCP proxy that can misbehave: between a process under test and one of its servers. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/**
 * - `pass`: bytes go through, after `delayMs` in each direction.
 * - `blackhole`: all bytes are swallowed. `mute`: those of the process under test are.
 * - `stall`: nothing moves, and what was held back arrives when the mode changes, as TCP does it after a partition.
 *   `stall-requests`, `stall-answers`: the same in one direction only.
 * - `refuse`: every new connection is reset. Call `reset` too to end those that are open.
 * - `lose-answers`: requests go through; at the first byte of the answer both ends are reset. The server did its work, and the client gets no answer.
 */
export type FaultMode = 'pass' | 'blackhole' | 'mute' | 'stall' | 'stall-requests' | 'stall-answers' | 'refuse' | 'lose-answers';

export interface FaultProxy {
  /** host:port to give to the process under test */
  address: string;
  /** What happens to bytes from now on, on open connections too. Only `refuse`, `lose-answers` and `reset` end connections. */
  mode: FaultMode;
  /** Milliseconds by which each chunk is delayed in mode `pass`; 0 unless set. Order is kept. */
  delayMs: number;
  /** Ends all connections with a reset. */
  reset(): void;
  close(): Promise<void>;
}

/** Where connections go: host:port; a function is asked for each connection, and again while a target refuses, at most `triesMax` times. */
export type Target = string | (() => string);

type Direction = 'requests' | 'answers';

const swallowing: Readonly<Partial<Record<FaultMode, readonly Direction[]>>> = { blackhole: ['requests', 'answers'], mute: ['requests'] };
const stalling: Readonly<Partial<Record<FaultMode, readonly Direction[]>>> = {
  stall: ['requests', 'answers'],
  'stall-requests': ['requests'],
  'stall-answers': ['answers'],
};
/** A function may name a target that is down: the next one it names is tried. */
const triesMax = 2;

/** One direction of one connection. */
class Pipe {
  #isEnded = false;
  /** Chunks that wait for their time; resolves when they are written. */
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

  /** Stops or goes on reading, as the mode says. */
  obey(): void {
    const isStalled = stalling[this.proxy.mode]?.includes(this.direction) === true;
    if (isStalled) this.from.pause();
    else if (this.from.isPaused()) this.from.resume();
  }

  #carry(chunk: Buffer): void {
    const { mode } = this.proxy;
    if (swallowing[mode]?.includes(this.direction) === true) return;
    if (mode === 'lose-answers' && this.direction === 'answers') {
      this.from.resetAndDestroy();
      this.to.resetAndDestroy();
      return;
    }
    this.#inTurn(() => void this.to.write(chunk));
  }

  /** Does it after all that came before it, and after the delay. */
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

/** Starts it on a free port of 127.0.0.1. */
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
    client.on('error', () => undefined); // the pipe tells the other end
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

/** Connects to the target; a client of a target that refuses is reset. */
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
