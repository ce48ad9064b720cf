/** The responses of each connection that have not ended. */
import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isClosing } from './closing.js';
import { isAbandoned } from '../read-body.js';

const openResponses = new WeakMap<Duplex, Set<ServerResponse>>();

/** The responses of a connection that have not ended, in the order of their requests. */
export const responsesOf = (socket: Duplex): readonly ServerResponse[] => [...(openResponses.get(socket) ?? [])];

/**
 * Wraps an application, so that responses of the connection itself come after those to its earlier requests, and a connection that closes serves
 * no further request. All responses of a connection close with it, also those that wait behind another one.
 */
export function withOpenResponses(app: RequestListener): RequestListener {
  return (req, res) => {
    if (isClosing(req.socket)) return;
    const open = openResponses.get(req.socket) ?? noteConnection(req.socket);
    open.add(res);
    res.once('close', () => open.delete(res));
    app(req, res);
  };
}

/** Closes a connection whose idle time is over. While a request of it is being served, and its response has not begun, that time begins again. */
export function closeIdle(socket: Socket): void {
  const isServed = responsesOf(socket).some(({ headersSent, req }) => !headersSent && !isAbandoned(req));
  if (isServed) socket.setTimeout(socket.timeout ?? 0);
  else socket.destroy();
}

/**
 * Notes the responses of a new connection. Node closes only the response that has the socket. What the others use (a stream, an export, memory)
 * would never be given back.
 */
function noteConnection(socket: Duplex): Set<ServerResponse> {
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
