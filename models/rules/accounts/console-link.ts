/**
 * The link that signs the demo workspace in to the console. The launcher makes it and the API uses it, each with JWT_SECRET; neither stores it.
 */
import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { isUuid } from '../values/text.js';

/** Long enough to find the line in the terminal. */
const lifetimeSeconds = 900;
/** Tokens of sessions have another audience: neither is taken for the other. */
const options = { issuer: 'tidings', audience: 'tidings-console-link' } as const;

/** What a link says: for whom it is, and by which id it is remembered once it was used. */
export interface ConsoleLink {
  email: string;
  id: string;
  expiresAt: Date;
}

/** A token for the workspace with this address. It is valid for 15 minutes. */
export const issueConsoleLink = (jwtSecret: string, email: string): string =>
  jwt.sign({}, jwtSecret, { ...options, algorithm: 'HS256', subject: email, expiresIn: lifetimeSeconds, jwtid: randomUUID() });

/** Reads a token; null if it is not ours or has expired. */
export function readConsoleLink(jwtSecrets: readonly string[], token: string): ConsoleLink | null {
  for (const secret of jwtSecrets) {
    const claims = verified(secret, token);
    if (claims !== null && isUuid(claims.jti ?? ''))
      return { email: claims.sub ?? '', id: claims.jti ?? '', expiresAt: new Date((claims.exp ?? 0) * 1000) };
  }
  return null;
}

function verified(secret: string, token: string): jwt.JwtPayload | null {
  try {
    const claims = jwt.verify(token, secret, { ...options, algorithms: ['HS256'], maxAge: lifetimeSeconds });
    return typeof claims === 'string' ? null : claims;
  } catch {
    return null;
  }
}
