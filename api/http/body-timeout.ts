/**
 * What happens when the service begins to read a body: its time-out begins, and a client that waits for `100 Continue` gets it. The wait of a request
 * for its turn does not count. Node's `requestTimeout` would count it.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { hasBody, isDiscarded } from './read-body.js';

/**
 * @param refuse called with the connection of a body that did not arrive in time. If the request has its answer, or the body is only discarded, the
 * connection is closed without another answer
 */
export function limitingBodies(app: RequestListener, bodyMs: number, refuse: (socket: Socket) => void): RequestListener {
  return (req, res) => {
    if (hasBody(req)) {
      req.once('resume', () => {
        const { socket } = req;
        const timer = setTimeout(() => void (res.headersSent || isDiscarded(req) ? socket.destroy() : refuse(socket)), bodyMs).unref();
        const stop = () => {
          clearTimeout(timer);
          socket.removeListener('close', stop);
        };
        socket.once('close', stop); // after an early answer Node tells the request nothing more
        req.once('end', stop).once('close', stop);
      });
    }
    app(req, res);
  };
}

/** Answers `Expect: 100-continue` when the service begins to read the body, so that a client does not send one that is refused without it. */
export function continuing(req: IncomingMessage, res: ServerResponse): void {
  req.once('resume', () => void (res.headersSent || isDiscarded(req) || res.writeContinue()));
}
