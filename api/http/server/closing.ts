/**
 * How the server closes connections: it announces the close, and closes in stages (RFC 9112, section 9.6). A connection that is closed while its
 * client still sends is reset, and a reset takes the answer away from a client that has not read it.
 */
import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { hasValidHead } from './request-head.js';
import { isAbandoned, refuseBody } from '../read-body.js';
import { countChunks, tinyChunksMax } from '../tiny-chunks.js';

/** Of a body that goes on after its response has begun. No credential is needed for that. */
const refusedChunks = { max: tinyChunksMax, bytes: 1_024 };

/** Resets the connection of a refused request whose body goes on in tiny chunks. Chunks of a kilobyte and more are not limited. */
function limitChunks(req: IncomingMessage): void {
  if (req.complete || req.headers['transfer-encoding'] === undefined) return;
  const areTooMany = countChunks(refusedChunks);
  req.on('data', ({ length }: Buffer) => void (areTooMany(length) && req.socket.destroy()));
}

/** In milliseconds. */
interface ClosingTimes {
  /** For the rest of a body. */
  bodyMs: number;
  /** For the client to close the connection. */
  lingerMs: number;
}

/** The response to the newest request of each connection. Only the body of this request may still arrive. */
const newest = new WeakMap<Duplex, ServerResponse>();
/** Connections that close after the response that is being written. Their further requests are not served. */
const closing = new WeakSet<Duplex>();

export const isClosing = (socket: Duplex): boolean => closing.has(socket);
export const noteClosing = (socket: Duplex): void => void closing.add(socket);

/** Closes the connection after this response, which says so unless its head is written already. */
function closeAfter(res: ServerResponse): void {
  res.shouldKeepAlive = false;
  noteClosing(res.req.socket);
}

/** The response to the request whose body is still arriving on this connection. */
export function responseToUnfinished(socket: Duplex): ServerResponse | undefined {
  const response = newest.get(socket);
  return response?.req.complete === false ? response : undefined;
}

/**
 * Wraps an application: while the process drains, each connection closes after the response to its newest request, and the response says so. A
 * response with others behind it says nothing, because the client would not get those. A connection also closes after the response to a request
 * with an invalid head: client and server may not agree where such a request ends.
 */
export function withCloseAnnounced(app: RequestListener, serving: { readonly isDraining: boolean }): RequestListener {
  return (req, res) => {
    const { socket } = req;
    newest.set(socket, res);
    // At once: the requests that have arrived behind it may wait already, and would be served.
    if (!hasValidHead(req)) closeAfter(res);
    const { writeHead } = res;
    // Whether the process drains is known only when the response begins. Node writes every head with this method.
    res.writeHead = (...head: unknown[]) => {
      if (serving.isDraining && newest.get(socket) === res) closeAfter(res);
      limitChunks(req);
      return Reflect.apply(writeHead, res, head) as typeof res;
    };
    app(req, res);
  };
}

/**
 * Makes `destroySoon` of each connection close in stages. Node calls it after the last response. The server ends its side, and discards what still
 * arrives until the client closes too. It takes the rest of a body for as long as if the connection stayed open, because some clients read the
 * answer only when they have sent all.
 */
export function closeInStages(server: Server, times: ClosingTimes): void {
  server.on('connection', (socket: Socket) => {
    socket.destroySoon = () => closeSocketInStages(socket, times);
  });
}

function closeSocketInStages(socket: Socket, { bodyMs, lingerMs }: ClosingTimes): void {
  noteClosing(socket);
  const linger = () => destroyAfter(lingerMs, socket);
  const request = responseToUnfinished(socket)?.req;
  if (request === undefined || isAbandoned(request)) return void socket.end(linger);
  refuseBody(request);
  socket.end();
  destroyAfter(bodyMs, socket);
  request.once('end', linger);
}

function destroyAfter(ms: number, socket: Socket): void {
  const timer = setTimeout(() => socket.destroy(), ms).unref();
  socket.once('close', () => clearTimeout(timer));
}
