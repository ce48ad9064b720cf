/** What is not HTTP never reaches Express; it is answered here, in the same words. */
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { RequestHandler } from 'express';
import { malformedRequest } from '../models/errors.js';
import { addressKey, type Limiter } from './rate-limit.js';

/** A listener of the server's `clientError`: one answer, then the connection is closed. */
export function createMalformedListener(limiter: Limiter): (error: NodeJS.ErrnoException, socket: Duplex) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    void answer(limiter, error.code, socket).catch(() => socket.destroy());
  };
}

async function answer(limiter: Limiter, fault: string | undefined, socket: Duplex): Promise<void> {
  const { status, message } = refusalOf(fault);
  const requestId = randomUUID();
  const details = [{ field: '', message }];
  const body = JSON.stringify({ success: false, error: message, code: 'validation_failed', message, request_id: requestId, details });
  const headers = new Map<string, string | number>([
    ['Content-Type', 'application/json; charset=utf-8'],
    ['Content-Length', Buffer.byteLength(body)],
    ['Cache-Control', 'no-store'],
    ['X-Request-Id', requestId],
    ['Connection', 'close'],
  ]);
  const key = addressKey((socket as Socket).remoteAddress);
  await limiter.describe({ rateClass: 'address', key }, { setHeader: (name, value) => headers.set(name, value) });
  const head = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...[...headers].map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

function refusalOf(code: string | undefined): { status: number; message: string } {
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, message: 'Request headers too large' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return { status: 408, message: 'Request took too long' };
  return { status: 400, message: malformedRequest().message };
}

/** HTTP/1.1 without a `Host` is refused (RFC 9112, 3.2). */
export const requireHost: RequestHandler = (req, _res, next) => {
  next(req.headers.host === undefined && req.httpVersion === '1.1' ? malformedRequest() : undefined);
};
