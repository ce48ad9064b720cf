/**
 * What happens when the service begins to read a body: its timeout begins, and a client that waits for `100 Continue` gets it. The wait of a request
 * for its turn does not count. Node's `requestTimeout` would count it.
 */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { hasBody, isDiscarded } from '../read-body.js';

interface BodyLimit {
  bodyMs: number;
  /**
   * Called with the connection of a body that did not arrive in time. If the request has its answer, or the body is only discarded, the connection is
   * closed without another answer.
   */
  refuse: (socket: Socket) => void;
  /** Whether the process stood still a moment ago. The body may have arrived meanwhile, so its time begins anew. */
  hasStalled: () => boolean;
}

export function withBodyTimeout(app: RequestListener, limit: BodyLimit): RequestListener {
  return (req, res) => {
    if (hasBody(req)) req.once('resume', () => limitBody(req, res, limit));
    app(req, res);
  };
}

function limitBody(req: IncomingMessage, res: ServerResponse, { bodyMs, refuse, hasStalled }: BodyLimit): void {
  const { socket } = req;
  const expire = () => {
    if (hasStalled()) timer.refresh();
    else if (res.headersSent || isDiscarded(req)) socket.destroy();
    else refuse(socket);
  };
  const timer = setTimeout(expire, bodyMs).unref();
  const stop = () => {
    clearTimeout(timer);
    socket.removeListener('close', stop);
  };
  socket.once('close', stop); // after an early answer Node tells the request nothing more
  req.once('end', stop).once('close', stop);
}

/** Answers `Expect: 100-continue` when the service begins to read the body, so that a client does not send one that is refused without it. */
export function continuing(req: IncomingMessage, res: ServerResponse): void {
  req.once('resume', () => void (res.headersSent || isDiscarded(req) || res.writeContinue()));
}
