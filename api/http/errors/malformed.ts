/** Answers malformed HTTP requests. They never reach Express, but get the same kind of error body. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RequestHandler } from 'express';
import type { AppError } from '../../../models/errors.js';
import { errorBody } from './error-handler.js';
import { headersTooLarge, malformedRequest, requestTooSlow, statusOf } from './error-status.js';
import { addressKey, type Limiter } from '../rate-limit.js';

/** Creates a listener for the server's `clientError`. It sends one response and closes the connection. */
export function createMalformedListener(limiter: Limiter): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    void respond(limiter, error.code, socket).catch(() => socket.destroy());
  };
}

async function respond(limiter: Limiter, fault: string | undefined, socket: Duplex): Promise<void> {
  const error = refusalOf(fault);
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
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function refusalOf(code: string | undefined): AppError {
  if (code === 'HPE_HEADER_OVERFLOW') return headersTooLarge();
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return requestTooSlow();
  return malformedRequest();
}

/** Refuses HTTP/1.1 requests without a `Host` header (RFC 9112, section 3.2). */
export const requireHost: RequestHandler = (req, _res, next) => {
  next(req.headers.host === undefined && req.httpVersion === '1.1' ? malformedRequest() : undefined);
};
