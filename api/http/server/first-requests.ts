/**
 * The order in which the first requests of connections start. Node accepts one connection in each turn of its event loop, and would start its
 * request before it accepts the next one: 200 connections of one client would delay a new connection of any other client by the time of 200
 * requests. Here first requests wait while connections arrive, and then the clients take turns. Later requests of a connection do not wait.
 */
import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { isAbandoned } from '../read-body.js';

/** Connections are accepted for this long before requests start, and again after requests have started for this long. */
const phaseMs = 25;
/** Requests of one connection, its first one included, that wait. With more, the connection is closed. */
const waitingOfConnectionMax = 100;

type Start = () => void;

/**
 * Starts one request in each turn of the event loop. The clients take turns. If more started in a turn, many new connections of one client would
 * reach the accept gate with more sends at once than it accepts in time, and some would get 503.
 */
export class FirstRequestTurns {
  /** The waiting requests by client. The first client is the next one. */
  readonly #waiting = new Map<string, Start[]>();
  #isScheduled = false;
  /** A connection was accepted since the last turn, so others may wait. */
  #hasAccepted = false;
  #phaseBegan = Number.NEGATIVE_INFINITY;
  /** Requests have started since the phase began. Otherwise no new phase begins, also if one turn takes longer than a phase. */
  #hasStarted = true;

  /** Call this for each accepted connection. */
  noteConnection(): void {
    this.#hasAccepted = true;
  }

  /** Starts a request when its turn comes, never at once. The requests of one client start in the order of these calls. */
  add(client: string, start: Start): void {
    const own = this.#waiting.get(client);
    if (own === undefined) this.#waiting.set(client, [start]);
    else own.push(start);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    this.#isScheduled = false;
    try {
      if (!this.#acceptsFirst(performance.now())) this.#startNext();
    } finally {
      if (this.#waiting.size > 0) this.#schedule();
    }
  }

  /** Whether connections come before requests now. While they never stop, both have the same time. */
  #acceptsFirst(now: number): boolean {
    if (!this.#hasAccepted) return false;
    this.#hasAccepted = false;
    if (this.#hasStarted && now - this.#phaseBegan >= 2 * phaseMs) {
      this.#phaseBegan = now;
      this.#hasStarted = false;
    }
    return now - this.#phaseBegan < phaseMs;
  }

  #startNext(): void {
    this.#hasStarted = true;
    const [next] = this.#waiting;
    if (next === undefined) return;
    const [client, own] = next;
    this.#waiting.delete(client);
    const start = own.shift();
    if (own.length > 0) this.#waiting.set(client, own); // at the end, behind the other clients
    start?.();
  }
}

/**
 * Wraps an application, so that the first request of each connection starts in turn. Requests that were pipelined behind it start right after
 * it. Nothing more is read from the connection meanwhile: unread bytes do not fill the memory, and a client that ends its side of the
 * connection right after its request still gets a response that is made at once. What was read already may contain many small requests, so their
 * number is limited.
 * @param clientOf the client that a request counts for
 */
export function withTurns(app: RequestListener, turns: FirstRequestTurns, clientOf: (req: IncomingMessage) => string): RequestListener {
  const hasStarted = new WeakSet<Socket>();
  const waiting = new WeakMap<Socket, Start[]>();
  return (req, res) => {
    const { socket } = req;
    if (hasStarted.has(socket)) return app(req, res);
    const own = waiting.get(socket) ?? [];
    // The application would wait for events of a closed connection for ever. A malformed request may have its answer already.
    own.push(() => socket.destroyed || isAbandoned(req) || app(req, res));
    if (own.length > waitingOfConnectionMax) return void socket.destroy();
    if (own.length > 1) return;
    waiting.set(socket, own);
    process.nextTick(() => waiting.has(socket) && socket.pause()); // not at once, because Node reads on at the end of a request
    turns.add(clientOf(req), () => {
      hasStarted.add(socket);
      waiting.delete(socket);
      socket.resume();
      for (const start of own) start();
    });
  };
}
