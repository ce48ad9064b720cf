/** CORS: which web pages may call the API from a browser. Off unless CORS_ORIGINS names them. */
import type { Step } from './request-context.js';

const methods = 'GET, HEAD, POST, PUT, DELETE';
const requestHeaders = 'Authorization, Content-Type, Idempotency-Key, X-API-Key, X-Request-Id';
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
/** Browsers keep the answer to a preflight this long; two hours is the most that Chromium takes. */
const preflightSeconds = 7200;

/** Writes the headers; errors carry them too. Credentials are headers that a page sets itself, never cookies, so none are allowed. */
export function cors(origins: readonly string[]): Step {
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
