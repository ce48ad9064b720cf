/** CORS: which web pages may call the API from a browser. Off unless CORS_ORIGINS names them. */
import type { ServerResponse } from 'node:http';
import type { Middleware } from './request-context.js';

const methods = 'GET, HEAD, POST, PUT, DELETE';
const requestHeaders = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'Last-Event-ID',
  'X-API-Key',
  'X-Request-Id',
  'traceparent',
  // Clients of /mcp send these with every message.
  'MCP-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
].join(', ');
const responseHeaders = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'X-Request-Id',
  'Link',
  'Retry-After',
  'Idempotent-Replayed',
  'Ignored-Fields',
].join(', ');
/** How long browsers cache the response to a preflight request. Two hours is the maximum in Chromium. */
const preflightSeconds = 7200;

/** Whether this is the response to a preflight request of an allowed origin. */
export const isPreflight = (res: Pick<ServerResponse, 'hasHeader'>): boolean => res.hasHeader('Access-Control-Allow-Methods');

/** Sets the CORS headers, on errors too. Cookies are not allowed, because credentials are headers that the page sets itself. */
export function cors(origins: readonly string[]): Middleware {
  const isForAll = origins.includes('*');
  return (req, res, next) => {
    const { origin } = req.headers;
    if (origins.length > 0) res.setHeader('Vary', 'Origin');
    if (origin !== undefined && (isForAll || origins.includes(origin))) {
      res.setHeader('Access-Control-Allow-Origin', isForAll ? '*' : origin);
      res.setHeader('Access-Control-Expose-Headers', responseHeaders);
      if (req.method === 'OPTIONS' && req.headers['access-control-request-method'] !== undefined) {
        res.setHeader('Access-Control-Allow-Methods', methods);
        res.setHeader('Access-Control-Allow-Headers', requestHeaders);
        res.setHeader('Access-Control-Max-Age', preflightSeconds);
      }
    }
    next();
  };
}
