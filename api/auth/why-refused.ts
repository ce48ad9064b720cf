/** Details of a 401: the credential that the operation needs, and the one that the request has. */
import type { IncomingHttpHeaders } from 'node:http';
import { expiredToken, invalidApiKey, invalidToken, missingApiKey, type AppError } from '../../models/errors.js';
import { isWellFormedApiKey } from '../../models/rules/accounts/api-key.js';
import type { Auth } from '../http/endpoint.js';
import { hasBearer } from './tokens.js';

const keyPlace = 'An API key belongs in the header X-API-Key';
/** What the client sent as its token, if it is one word. */
const bearerIn = ({ authorization = '' }: IncomingHttpHeaders) => /^Bearer +(\S+)$/i.exec(authorization)?.[1];
const looksLikeJwt = (text: string) => /^[\w-]+\.[\w-]+\.[\w-]*$/.test(text);

/** The 401 for a missing or invalid JWT. @param isExpired the JWT was valid before */
export function tokenRefused(auth: Auth, headers: IncomingHttpHeaders, isExpired: boolean): AppError {
  if (isExpired) return expiredToken();
  const { authorization = '' } = headers;
  const isEither = typeof auth === 'object';
  const given = bearerIn(headers);
  const carriesKey = given !== undefined && isWellFormedApiKey(given);
  if (carriesKey && isEither) return refusedFor(keyPlace);
  if (carriesKey || (authorization === '' && !isEither && headers['x-api-key'] !== undefined))
    return refusedFor('This operation needs a JWT, not an API key');
  if (authorization === '') {
    const either = isEither ? 'an API key in the header X-API-Key, or ' : '';
    return refusedFor(`This operation needs ${either}a JWT in the header Authorization, as Bearer <JWT>`);
  }
  if (given === undefined) return refusedFor('The header Authorization must be Bearer <JWT>');
  return refusedFor(looksLikeJwt(given) ? 'The JWT was not issued here, or was changed' : 'The token is not a JWT');
}

/** The 401 for a cookie of the console that is no valid session. */
export const sessionRefused = (isExpired: boolean): AppError =>
  isExpired ? expiredToken() : refusedFor('The console session is not valid: log in again');

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

const refusedFor = (why: string) => invalidToken(why);
