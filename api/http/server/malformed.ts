/** Answers malformed HTTP requests. They never reach Express, but get the same kind of error body. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { type AppError, notFound } from '../../../models/errors.js';
import { errorBody } from '../errors/error-body.js';
import { headersTooLarge, malformedRequest, requestTooSlow, statusOf } from '../errors/error-status.js';
import { isClosing, noteClosing, responseToUnfinished } from './closing.js';
import { closeIdle, responsesOf } from './open-responses.js';
import { refuseBody } from '../read-body.js';
import type { Limiter } from '../rate-limit.js';
import { requestIdOf } from '../request-context.js';

/** A fault of Node's parser, with the bytes that it was reading and the place of the fault in them. */
type ParserFault = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number };

/**
 * Creates a listener for the server's `clientError`. It sends one response and closes the connection. A request whose body has not arrived by then
 * is not served, also if the rest still comes.
 * @param closeMs closes the connection after this time, also if the client does not read an earlier answer
 */
export function createMalformedListener(limiter: Limiter, closeMs: number): (error: ParserFault, socket: Duplex) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET') return void socket.destroy();
    if (isClosing(socket)) return; // the parser reports its fault again with each further byte
    if (!socket.writable) return void socket.destroy();
    noteClosing(socket);
    const timer = setTimeout(() => socket.destroy(), closeMs).unref();
    socket.once('close', () => clearTimeout(timer));
    for (const { req } of responsesOf(socket)) if (!req.complete) refuseBody(req);
    void respondInTurn(limiter, refusalOf(error), socket).catch(() => socket.destroy());
  };
}

/** Creates a listener for the server's `connect`: Node passes no request with this method to the application. */
export function createTunnelListener(limiter: Limiter): (req: unknown, socket: Duplex) => void {
  return (_req, socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('timeout', () => closeIdle(socket as Socket)); // Node has removed the server's own listener
    void respondInTurn(limiter, notFound(), socket).catch(() => socket.destroy());
  };
}

/**
 * Responds after the requests that arrived whole on the same connection. Otherwise a client would take this response for that to the first of them.
 */
async function respondInTurn(limiter: Limiter, error: AppError, socket: Duplex): Promise<void> {
  const earlier = responsesOf(socket).filter(({ req }) => req.complete);
  await Promise.all(earlier.map((response) => once(response, 'close')));
  if (socket.writable) await respond(limiter, error, socket);
  else socket.destroy();
}

/** The response to a request whose body has not arrived keeps the headers that this request has got already, such as its id and those of CORS. */
async function respond(limiter: Limiter, error: AppError, socket: Duplex): Promise<void> {
  const lines = new Map<string, string>();
  const setHeader = (name: string, value: unknown) => lines.set(name.toLowerCase(), `${name}: ${String(value)}`);
  const unfinished = responseToUnfinished(socket);
  for (const [name, value] of Object.entries(unfinished?.getHeaders() ?? {})) setHeader(name, value);
  if (!lines.has('x-ratelimit-limit')) await limiter.describeAddress((socket as Socket).remoteAddress, { setHeader });
  const requestId = String(unfinished?.getHeader('X-Request-Id') ?? (unfinished ? requestIdOf(unfinished.req) : randomUUID()));
  const body = JSON.stringify(errorBody(error, requestId));
  setHeader('Content-Type', 'application/json; charset=utf-8');
  setHeader('Content-Length', Buffer.byteLength(body));
  setHeader('Cache-Control', 'no-store');
  setHeader('X-Request-Id', requestId);
  setHeader('Connection', 'close');
  const head = [`HTTP/1.1 ${statusOf(error)} ${STATUS_CODES[statusOf(error)]}`, ...lines.values()];
  socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  (socket as Socket).destroySoon();
}

/** The line of a request whose only fault is its method. */
const methodOnly = /^[!#$%&'*+.^`|~\w-]+ [/*]\S* HTTP\/1\.[01]\r?\n/;

function refusalOf({ code, rawPacket, bytesParsed = 0 }: ParserFault): AppError {
  const read = rawPacket?.toString('latin1') ?? '';
  // The parser knows only the registered methods. For a client, any other method is like one that no path has: 404.
  if (code === 'HPE_INVALID_METHOD' && methodOnly.test(read.slice(read.lastIndexOf('\n', bytesParsed - 1) + 1))) return notFound();
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge();
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTooSlow();
  return malformedRequest();
}
