/**
 * The time-out for bodies. It runs from when the service begins to read a body, so that a client whose request waits for its turn is not blamed for
 * the wait. Node's own `requestTimeout` would count the wait too.
 */
import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { hasBody } from './read-body.js';

/** @param refuse called with the connection of a body that did not arrive in time, also if it is read only to discard it */
export function limitingBodies(app: RequestListener, bodyMs: number, refuse: (socket: Socket) => void): RequestListener {
  return (req, res) => {
    if (hasBody(req)) {
      req.once('resume', () => {
        const timer = setTimeout(() => refuse(req.socket), bodyMs).unref();
        req.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer));
      });
    }
    app(req, res);
  };
}
