/** The errors with status 401: a credential is missing, wrong or no longer valid. */
import { AppError, type ErrorCode } from './errors.js';

/** @param why the reason, in the details */
const unauthorized = (code: ErrorCode, message: string, field: string, why: string) =>
  new AppError(code, message, { details: [{ field, message: why }] });
export const missingApiKey = (why = 'This operation needs an API key in the header X-API-Key') =>
  unauthorized('unauthorized', 'Missing X-API-Key header', 'X-API-Key', why);
export const invalidApiKey = (why = 'The API key is unknown, has expired, or is not allowed from this address') =>
  unauthorized('unauthorized', 'Invalid API key', 'X-API-Key', why);
export const deactivatedApiKey = () =>
  unauthorized('unauthorized', 'API key has been deactivated', 'X-API-Key', 'It cannot be activated again: create a new one');
export const invalidToken = (why = 'The session has ended: log in again') =>
  unauthorized('unauthorized', 'Invalid or expired token', 'Authorization', why);
export const expiredToken = () =>
  unauthorized('token_expired', 'Invalid or expired token', 'Authorization', 'The JWT has expired: log in again');
export const wrongPassword = () => new AppError('unauthorized', 'Invalid email or password');
/** The password is right, but the account has a second factor. */
export const codeRequired = () => new AppError('code_required', 'Verification code required');
export const wrongCode = () => new AppError('unauthorized', 'Invalid verification code');
