/** Details of a 401: the credential that the operation needs, and the one that the request has. */
import type { IncomingHttpHeaders } from 'node:http';
import { type AppError } from '../../models/errors.js';
import { expiredToken, invalidApiKey, invalidToken, missingApiKey } from '../../models/refused-credentials.js';
import { isWellFormedApiKey } from '../../models/rules/accounts/api-key.js';
import type { Auth } from '../http/endpoint.js';
import { hasBearer } from './tokens.js';

const keyPlace = 'An API key belongs in the header X-API-Key';
const needsJwt = 'This operation needs a JWT, not an API key';
/** What the client sent as its token, if it is one word. */
const bearerIn = ({ authorization = '' }: IncomingHttpHeaders) => /^Bearer +(\S+)$/i.exec(authorization)?.[1];
const looksLikeJwt = (text: string) => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text);

/** The credentials that an operation takes, as the challenge of its 401. Browsers open no dialog for these schemes. */
export function challengeOf(auth: Auth): string {
  if (typeof auth === 'string') return 'Bearer';
  return auth.jwtToo ? 'Bearer, ApiKey' : 'ApiKey';
}

/** The 401 for a missing or invalid JWT. @param isExpired the JWT was valid before */
export function tokenRefused(auth: Auth, headers: IncomingHttpHeaders, isExpired: boolean): AppError {
  return isExpired ? expiredToken() : invalidToken(whyTokenRefused(typeof auth === 'object', headers));
}

/** @param takesKey the operation takes an API key too */
function whyTokenRefused(takesKey: boolean, headers: IncomingHttpHeaders): string {
  const { authorization = '' } = headers;
  const given = bearerIn(headers);
  if (given !== undefined && isWellFormedApiKey(given)) return takesKey ? keyPlace : needsJwt;
  if (authorization === '') {
    if (takesKey) return 'This operation needs an API key in the header X-API-Key, or a JWT in the header Authorization, as Bearer <JWT>';
    return headers['x-api-key'] === undefined ? 'This operation needs a JWT in the header Authorization, as Bearer <JWT>' : needsJwt;
  }
  if (given === undefined) return 'The header Authorization must be Bearer <JWT>';
  return looksLikeJwt(given) ? 'The JWT was not issued here, or was changed' : 'The token is not a JWT';
}

/** The 401 for a cookie of the console that is no valid session. */
export const sessionRefused = (isExpired: boolean): AppError =>
  isExpired ? expiredToken() : invalidToken('The console session is not valid: log in again');

/** The 401 for a missing or malformed API key. */
export function keyRefused(headers: IncomingHttpHeaders): AppError {
  const { 'x-api-key': key = '' } = headers;
  if (key === '') {
    if (isWellFormedApiKey(bearerIn(headers) ?? '')) return missingApiKey(keyPlace);
    return missingApiKey(`This operation needs an API key in the header X-API-Key${hasBearer(headers) ? ', not a JWT' : ''}`);
  }
  return invalidApiKey(
    looksLikeJwt(String(key)) ? 'This is a JWT. This operation needs an API key' : 'The API key is incomplete or misspelt',
  );
}
