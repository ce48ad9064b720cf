import jwt from 'jsonwebtoken';

/** The `kid` of a JWT, for other tokens that name the same secret. */
export const kidOf = (token: string): string => jwt.decode(token, { complete: true })?.header.kid ?? '';
