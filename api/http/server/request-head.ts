/** The checks of request heads that Node's parser does not make. */
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { malformedRequest } from '../errors/error-status.js';

/** `host[:port]`, which may be empty (RFC 9110, section 7.2). */
const hostValue = /^(?:\[[\w:.%~-]+\]|(?:[\w.~!$&'()*+,;=-]|%[\dA-Fa-f]{2})*)(?::\d*)?$/;

/**
 * Whether the request has one valid `Host` (without one only in HTTP/1.0), and no transfer coding besides `chunked`, which HTTP/1.0 does not have
 * (RFC 9112, sections 3.2 and 6.1).
 */
export function hasValidHead({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  const { host = '', 'transfer-encoding': coding } = headers;
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
  const isFirstVersion = httpVersion === '1.0';
  if (hosts > 1 || (hosts === 0 && !isFirstVersion) || !hostValue.test(host)) return false;
  return coding === undefined || (!isFirstVersion && coding.toLowerCase() === 'chunked');
}

/** Refuses other requests. Their connections close; see `withCloseAnnounced`. */
export const requireValidHead: RequestHandler = (req, _res, next) => next(hasValidHead(req) ? undefined : malformedRequest());
