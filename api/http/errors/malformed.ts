/** Answers malformed HTTP requests. They never reach Express, but get the same kind of error body. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type RequestListener, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RequestHandler } from 'express';
import { type AppError, notFound } from '../../../models/errors.js';
import { errorBody } from './error-handler.js';
import { headersTooLarge, malformedRequest, requestTooSlow, statusOf } from './error-status.js';
import { addressKey } from '../client-address.js';
import { isAbandoned, refuseBody } from '../read-body.js';
import type { Limiter } from '../rate-limit.js';

/** A fault of Node's parser, with the bytes that it was reading and the place of the fault in them. */
type ParserFault = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number };

/** The responses of each connection that have not ended. */
const openResponses = new WeakMap<Duplex, Set<ServerResponse>>();
const refusedSockets = new WeakSet<Duplex>();

/** For so long after its last answer a connection remains open for reading: a reset could take the answer from a client that still sends. */
const lingerMs = 2_000;

/**
 * Wraps an application, so that the listeners below answer in turn. A request that begins after their answer is not served. All responses of a
 * connection close with it, also those that wait behind another one.
 */
export function notingResponses(app: RequestListener): RequestListener {
  return (req, res) => {
    if (refusedSockets.has(req.socket)) return;
    const open = openResponses.get(req.socket) ?? responsesOf(req.socket);
    open.add(res);
    res.once('close', () => open.delete(res));
    app(req, res);
  };
}

/** Closes a connection whose idle time is over. While a request of it is being served, and its response has not begun, that time begins again. */
export function closeIdle(socket: Socket): void {
  const isServed = [...(openResponses.get(socket) ?? [])].some(({ headersSent, req }) => !headersSent && !isAbandoned(req));
  if (isServed) socket.setTimeout(socket.timeout ?? 0);
  else socket.destroy();
}

/**
 * Notes the responses of a new connection. Node closes only the response that has the socket. What the others use (a stream, an export, memory)
 * would never be given back.
 */
function responsesOf(socket: Duplex): Set<ServerResponse> {
  const open = new Set<ServerResponse>();
  openResponses.set(socket, open);
  // After a tick only the others are left.
  socket.once('close', () => process.nextTick(() => open.forEach(closeWaiting)));
  return open;
}

/** Node would set `_closed`, which is private. Writers and `pipeline` read `closed`. */
function closeWaiting(response: ServerResponse): void {
  Object.defineProperty(response, 'closed', { value: true });
  response.destroy().emit('close');
}

/**
 * Creates a listener for the server's `clientError`. It sends one response and closes the connection. A request whose body has not arrived by then
 * is not served, also if the rest still comes.
 * @param closeMs closes the connection after this time, also if the client does not read an earlier answer
 */
export function createMalformedListener(limiter: Limiter, closeMs: number): (error: ParserFault, socket: Duplex) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    if (refusedSockets.has(socket)) return; // the parser reports its fault again with each further byte
    refusedSockets.add(socket);
    const timer = setTimeout(() => socket.destroy(), closeMs).unref();
    socket.once('close', () => clearTimeout(timer));
    for (const { req } of openResponses.get(socket) ?? []) if (!req.complete) refuseBody(req);
    void respondInTurn(limiter, refusalOf(error), socket).catch(() => socket.destroy());
  };
}

/** Creates a listener for the server's `connect`: Node passes no request with this method to the application. */
export function createTunnelListener(limiter: Limiter): (req: unknown, socket: Duplex) => void {
  return (_req, socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('timeout', () => closeIdle(socket as Socket)); // Node has removed that of the server
    void respondInTurn(limiter, notFound(), socket).catch(() => socket.destroy());
  };
}

/** Responds after the requests that arrived whole on the same connection. A client would take it for the answer to the first of them. */
async function respondInTurn(limiter: Limiter, error: AppError, socket: Duplex): Promise<void> {
  const earlier = [...(openResponses.get(socket) ?? [])].filter(({ req }) => req.complete);
  await Promise.all(earlier.map((response) => once(response, 'close')));
  if (socket.writable) await respond(limiter, error, socket);
  else socket.destroy();
}

async function respond(limiter: Limiter, error: AppError, socket: Duplex): Promise<void> {
  const requestId = randomUUID();
  const body = JSON.stringify(errorBody(error, requestId));
  const headers = new Map<string, string | number>([
    ['Content-Type', 'application/json; charset=utf-8'],
    ['Content-Length', Buffer.byteLength(body)],
    ['Cache-Control', 'no-store'],
    ['X-Request-Id', requestId],
    ['Connection', 'close'],
  ]);
  const key = addressKey((socket as Socket).remoteAddress);
  await limiter.describe({ rateClass: 'address', key }, { setHeader: (name, value) => headers.set(name, value) });
  const head = [
    `HTTP/1.1 ${statusOf(error)} ${STATUS_CODES[statusOf(error)]}`,
    ...[...headers].map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => setTimeout(() => socket.destroy(), lingerMs).unref());
}

/** The line of a request whose only fault is its method. */
const methodOnly = /^[!#$%&'*+.^`|~\w-]+ [/*]\S* HTTP\/1\.[01]\r?\n/;

function refusalOf({ code, rawPacket, bytesParsed = 0 }: ParserFault): AppError {
  const read = rawPacket?.toString('latin1') ?? '';
  // The parser knows the registered methods only. To a client, one that it does not know is like any other that no path has.
  if (code === 'HPE_INVALID_METHOD' && methodOnly.test(read.slice(read.lastIndexOf('\n', bytesParsed - 1) + 1))) return notFound();
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge();
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTooSlow();
  return malformedRequest();
}

/** Refuses HTTP/1.1 requests without a `Host` header (RFC 9112, section 3.2). */
export const requireHost: RequestHandler = (req, _res, next) => {
  next(req.headers.host === undefined && req.httpVersion === '1.1' ? malformedRequest() : undefined);
};
