/** JWTs: those that clients send as `Bearer`, and those in the cookie of the console. Neither is taken for the other. */
import { createHash, createSecretKey, type KeyObject } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Request, Response } from 'express';
import jwt from 'jsonwebtoken';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { makeId } from '../../models/rules/values/make-id.js';
import { isUuid } from '../../models/rules/values/text.js';
import type { Workspace } from '../../models/tables/workspace.js';

const issuer = 'tidings';
const audience = 'tidings-api';
/** `access`: for clients. `console`: only in the cookie of the console. `portal`: for the operations of one webhook. */
const kinds = ['access', 'console', 'portal'] as const;
export type TokenKind = (typeof kinds)[number];
/** The contract promises 30 days for a JWT. The others are shorter: a browser is easily left open, and a portal link is for another person. */
export const lifetimeSeconds: Readonly<Record<TokenKind, number>> = { access: 30 * 24 * 3600, console: 7 * 24 * 3600, portal: 3600 };

export interface Claims {
  typ: TokenKind;
  sub: string;
  /** The workspace's token version at the time of issue. What ends all sessions changes it, which invalidates older tokens. */
  tv: number;
  /** The only webhook that the token is for, in those of a portal. */
  wh?: string;
  /** The API key that made the link to a portal; absent if a session made it. The link ends with it. */
  key?: string;
  /** The id of the token. */
  jti: string;
  /** Seconds since 1970. */
  exp: number;
}

/** A token with its id and its end. */
export interface IssuedToken {
  token: string;
  id: string;
  expiresAt: Date;
}

/** Whether the client sends a token. Other schemes are ignored beside another credential: a proxy that asks for a password uses `Basic`. */
export const hasBearer = ({ authorization = '' }: IncomingHttpHeaders): boolean => /^Bearer(?: |$)/i.test(authorization);

/**
 * Issues a JWT for this workspace. It is valid for its lifetime. It ends earlier with its session, with all sessions, with the API key that made it,
 * or with the workspace. Its `kid` header identifies the secret.
 */
export function issueToken(
  jwtSecret: string,
  workspace: Pick<Workspace, 'id' | 'token_version'>,
  kind: TokenKind,
  more: Pick<Claims, 'wh' | 'key'> = {},
): IssuedToken {
  const id = makeId(); // sessions are listed in the order of their ids
  const iat = Math.floor(Date.now() / 1000);
  const exp = iat + lifetimeSeconds[kind];
  const claims = { ...more, typ: kind, tv: workspace.token_version, iat, exp };
  const token = jwt.sign(claims, keyOf(jwtSecret), {
    algorithm: 'HS256',
    keyid: kidOf(jwtSecret),
    subject: workspace.id,
    issuer,
    audience,
    jwtid: id,
  });
  return { token, id, expiresAt: new Date(exp * 1000) };
}

/** A token for the portal of one webhook. @param keyId the API key that asks for it; null with a session */
export const issuePortalToken = (
  jwtSecret: string,
  workspace: Pick<Workspace, 'id' | 'token_version'>,
  webhookId: string,
  keyId: string | null,
): IssuedToken => issueToken(jwtSecret, workspace, 'portal', { wh: webhookId, ...(keyId === null ? {} : { key: keyId }) });

/** The claims of a token, or why there are none, with the workspace of an expired one. */
export type ReadToken = { claims: Claims } | { claims: null; isExpired: boolean; workspaceId?: string | undefined };

/** Reads a token of this kind; null is none. */
export type TokenReader = (kind: TokenKind, token: string | null, req: Request, res: Response) => Promise<ReadToken>;

/** passport-jwt with fixed algorithm, issuer, audience, token type and lifetime. */
export function createTokenReader(jwtSecrets: readonly string[]): TokenReader {
  const secrets = new Map(jwtSecrets.map((secret) => [kidOf(secret), keyOf(secret)]));
  const authenticator = new passport.Passport();
  const tokens = new WeakMap<Request, string>();
  for (const kind of kinds) authenticator.use(kind, strategyFor(kind, secrets, tokens));

  return (kind, token, req, res) =>
    new Promise((resolve, reject) => {
      if (token !== null) tokens.set(req, token);
      const answer = (err: unknown, claims: Claims | false | undefined, info: unknown) => {
        if (err !== null && err !== undefined) reject(err as Error);
        else if (claims) resolve({ claims });
        else if (token !== null && info instanceof jwt.TokenExpiredError)
          resolve({ claims: null, isExpired: true, workspaceId: subjectOf(token) });
        else resolve({ claims: null, isExpired: false });
      };
      authenticator.authenticate(kind, { session: false }, answer)(req, res, reject);
    });
}

/** The workspace of a token whose signature was verified, as that of every expired one. */
function subjectOf(token: string): string | undefined {
  const subject = jwt.decode(token)?.sub;
  return typeof subject === 'string' && isUuid(subject) ? subject : undefined;
}

function strategyFor(kind: TokenKind, secrets: ReadonlyMap<string, KeyObject>, tokens: WeakMap<Request, string>): Strategy {
  return new Strategy(
    {
      jwtFromRequest: (req) => tokens.get(req as Request) ?? null,
      secretOrKeyProvider: (_req, token: string, done) => {
        const secret = secretOf(secrets, token);
        done(secret === undefined ? 'unknown key' : null, secret as unknown as Buffer); // its types do not include key objects
      },
      algorithms: ['HS256'],
      issuer,
      audience,
      jsonWebTokenOptions: { maxAge: lifetimeSeconds[kind] },
    },
    (claims: Partial<Claims>, done) => {
      done(null, areClaimsOf(kind, claims) ? claims : false);
    },
  );
}

function areClaimsOf(kind: TokenKind, { typ, sub, tv, exp, jti, wh, key }: Partial<Claims>): boolean {
  const isOfOneWebhook = isUuid(String(wh)) && (key === undefined || isUuid(key));
  if (kind === 'portal' && !isOfOneWebhook) return false;
  return typ === kind && isUuid(String(sub)) && isUuid(String(jti)) && typeof tv === 'number' && typeof exp === 'number';
}

/**
 * A secret as a key object. jsonwebtoken first tries to read a text as the key of a pair. That fails, and takes forty times the CPU of the
 * rest.
 */
const keyOf = (jwtSecret: string): KeyObject => createSecretKey(jwtSecret, 'utf8');

/** An id of a secret that does not reveal the secret. */
const kidOf = (jwtSecret: string): string => createHash('sha256').update('jwt-key-id:').update(jwtSecret).digest('hex').slice(0, 16);

/**
 * The secret that the `kid` of a token identifies. A token without a `kid`, which an operator's own program has signed with `JWT_SECRET`, is tried
 * with each secret. Undefined if nobody can read it.
 */
function secretOf(secrets: ReadonlyMap<string, KeyObject>, token: string): KeyObject | undefined {
  const header = headerOf(token);
  if (header === undefined) return undefined;
  const { kid } = header;
  return kid === undefined ? [...secrets.values()].find((secret) => isSignedWith(secret, token)) : secrets.get(kid);
}

function isSignedWith(secret: KeyObject, token: string): boolean {
  try {
    jwt.verify(token, secret, { algorithms: ['HS256'], ignoreExpiration: true });
    return true;
  } catch {
    return false;
  }
}

/** The library throws if the header promises JSON but the claims are not JSON. */
function headerOf(token: string): jwt.JwtHeader | undefined {
  try {
    return jwt.decode(token, { complete: true })?.header;
  } catch {
    return undefined;
  }
}
