/** Authentication in two steps: read the credential of a request without the database, then look up its workspace. */
import { createHash, randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import jwt from 'jsonwebtoken';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { ApiKey } from '../../models/tables/api-key.js';
import { type AppError, deactivatedApiKey, invalidApiKey, invalidToken, missingScope } from '../../models/errors.js';
import type { Database } from '../../models/db/database.js';
import { identifySession } from '../../models/operations/accounts/identify-session.js';
import { BatchQueue } from '../../models/flow/batch-queue.js';
import { type IdentifiedKey, identifyApiKeys, type PresentedKey } from '../../models/operations/accounts/identify-api-key.js';
import type { Standing } from '../../models/operations/billing/standing.js';
import { isInNetworks } from '../../models/rules/accounts/networks.js';
import { isUuid } from '../../models/rules/values/text.js';
import type { Workspace } from '../../models/tables/workspace.js';
import type { Deps } from '../deps.js';
import type { Auth } from '../http/endpoint.js';
import type { Caller } from '../http/caller.js';
import { plainAddress } from '../http/request-context.js';
import { type KeyCredential, presentedKey } from './presented-key.js';
import { keyRefused, tokenRefused } from './why-refused.js';

const issuer = 'tidings';
const audience = 'tidings-api';
const lifetimeSeconds = 30 * 24 * 3600;

interface Claims {
  sub: string;
  /** The workspace's token version at the time of issue. A password change increments it, which invalidates older tokens. */
  tv: number;
  /** The id of the token; old tokens may have none. */
  jti?: string;
  /** Seconds since 1970. */
  exp: number;
}

/** The credential of a request; `refused` contains the error of an invalid one. */
export type Credential = { kind: 'none' } | { kind: 'jwt'; claims: Claims } | PresentedFrom | { kind: 'refused'; error: AppError };

/** An API key and the client address. */
type PresentedFrom = KeyCredential & { address?: string | undefined };

export interface Authenticator {
  /** Reads the credential that the endpoint needs. No I/O. */
  read(auth: Auth, req: Request, res: Response): Promise<Credential>;
  /** @returns the caller of the credential; @throws AppError 401 */
  identify(auth: Auth, credential: Credential): Promise<Caller | null>;
  /** @returns the caller; @throws AppError 403 when the API key lacks the scope */
  authorize(auth: Auth, caller: Caller | null): Caller | null;
}

/** Issues a JWT for this workspace. It is valid for 30 days, or until the password changes. Its `kid` header identifies the secret. */
export function issueToken(jwtSecret: string, { id, token_version }: Pick<Workspace, 'id' | 'token_version'>): string {
  const claims = { typ: 'access', tv: token_version };
  return jwt.sign(claims, jwtSecret, {
    algorithm: 'HS256',
    keyid: keyIdOf(jwtSecret),
    subject: id,
    issuer,
    audience,
    expiresIn: lifetimeSeconds,
    jwtid: randomUUID(),
  });
}

export function createAuthenticator({ config, db, logger }: Pick<Deps, 'config' | 'db' | 'logger'>): Authenticator {
  const readJwt = jwtReader(config.jwtSecrets);
  // Keys that arrive during a query are looked up together by the next one. Each is read after its request arrived, so a revocation takes effect immediately.
  const identified = new BatchQueue<PresentedKey, IdentifiedKey | null>((keys) => identifyApiKeys(db, keys), {
    maxBatchSize: 100,
    concurrency: 2,
  });
  const touched = lastUsed((err) => logger.warn({ err }, 'last_used_at was not written'));

  return {
    async read(auth, req, res) {
      if (auth === 'none' || auth === 'provider') return { kind: 'none' };
      const key = req.get('x-api-key') ?? '';
      // If both are allowed, an Authorization header takes precedence. Without any credential, the error is that of a missing JWT.
      if (auth === 'jwt' || (auth.jwtToo && (key === '' || req.get('authorization') !== undefined))) return readJwt(auth, req, res);
      const presented = presentedKey(req, config.secretKeys);
      return presented === undefined
        ? { kind: 'refused', error: keyRefused(req.headers) }
        : { ...presented, address: plainAddress(req.ip) };
    },
    async identify(auth, credential) {
      if (credential.kind === 'refused') throw credential.error;
      if (credential.kind === 'none' || auth === 'none' || auth === 'provider') return null;
      if (credential.kind === 'jwt') return workspaceOf(db, credential.claims);
      const key = await identified.add(credential);
      if (key === null) throw invalidApiKey();
      if (!key.is_active) throw deactivatedApiKey();
      if (key.is_expired || (key.allowed_addresses !== null && !isInNetworks(credential.address, key.allowed_addresses)))
        throw invalidApiKey();
      touched(key, credential.address);
      return callerOf(key);
    },
    authorize(auth, caller) {
      const needed = typeof auth === 'object' ? auth.scope : null;
      if (needed !== null && caller?.scopes?.includes(needed) === false) throw missingScope(needed);
      return caller;
    },
  };
}

function callerOf(key: IdentifiedKey): Caller {
  return {
    workspaceId: key.workspace_id,
    ...standingIn(key),
    scopes: key.scopes,
    webhooks: key.webhooks,
    actor: { type: 'api_key', id: key.id, name: key.name },
    channels: key.channels,
    session: null,
  };
}

async function workspaceOf(db: Database, { sub, tv, jti, exp }: Claims): Promise<Caller> {
  const tokenId = jti !== undefined && isUuid(jti) ? jti : null;
  const owner = await identifySession(db, { workspaceId: sub, tokenId, tokenVersion: tv });
  if (owner === null) throw invalidToken();
  const expiresAt = new Date(exp * 1000);
  const session = tokenId === null ? null : { id: tokenId, expiresAt };
  const actor = { type: 'user', id: sub, name: owner.email } as const;
  return { workspaceId: sub, ...standingIn(owner), actor, channels: null, session, token: { version: tv, expiresAt } };
}

type StandingIn = Pick<Caller, 'balance' | 'spendLeft' | 'allowedCountries' | 'isVerified' | 'isSuspended'>;

function standingIn({ balance, spend_left, allowed_countries, email_verified, is_suspended }: Standing): StandingIn {
  return { balance, spendLeft: spend_left, allowedCountries: allowed_countries, isVerified: email_verified, isSuspended: is_suspended };
}

/** An id of a secret that does not reveal the secret. */
const keyIdOf = (jwtSecret: string): string => createHash('sha256').update('jwt-key-id:').update(jwtSecret).digest('hex').slice(0, 16);

/** The secret that the `kid` of a token identifies. Old tokens without a `kid` are tried with each secret. */
function secretOf(secrets: ReadonlyMap<string, string>, token: string): string | undefined {
  const kid = jwt.decode(token, { complete: true })?.header.kid;
  return kid === undefined ? [...secrets.values()].find((secret) => isSignedWith(secret, token)) : secrets.get(kid);
}

function isSignedWith(secret: string, token: string): boolean {
  try {
    jwt.verify(token, secret, { algorithms: ['HS256'], ignoreExpiration: true });
    return true;
  } catch {
    return false;
  }
}

/** passport-jwt with fixed algorithm, issuer, audience, token type and lifetime. */
function jwtReader(jwtSecrets: readonly string[]): (auth: Auth, req: Request, res: Response) => Promise<Credential> {
  const authenticator = new passport.Passport();
  const secrets = new Map(jwtSecrets.map((secret) => [keyIdOf(secret), secret]));
  const strategy = new Strategy(
    {
      jwtFromRequest: (req) => /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(req.headers.authorization ?? '')?.[1] ?? null,
      secretOrKeyProvider: (_req, token: string, done) => {
        const secret = secretOf(secrets, token);
        done(secret === undefined ? 'unknown key' : null, secret);
      },
      algorithms: ['HS256'],
      issuer,
      audience,
      jsonWebTokenOptions: { maxAge: lifetimeSeconds },
    },
    (claims: Partial<Claims> & { typ?: unknown }, done) => {
      const isOurs =
        claims.typ === 'access' && isUuid(String(claims.sub)) && typeof claims.tv === 'number' && typeof claims.exp === 'number';
      done(null, isOurs ? claims : false);
    },
  );
  authenticator.use('jwt', strategy);
  return (auth, req, res) =>
    new Promise((resolve, reject) => {
      const answer = (err: unknown, claims: Claims | false | undefined, info: unknown) => {
        if (err !== null && err !== undefined) reject(err as Error);
        else if (claims) resolve({ kind: 'jwt', claims });
        else resolve({ kind: 'refused', error: tokenRefused(auth, req.headers, info instanceof jwt.TokenExpiredError) });
      };
      authenticator.authenticate('jwt', { session: false }, answer)(req, res, reject);
    });
}

/** Writes last_used_at of a key in the background, at most once a minute. */
function lastUsed(onError: (err: unknown) => void): (key: IdentifiedKey, address: string | undefined) => void {
  const underWay = new Set<string>();
  return ({ id, last_used_at }, address) => {
    const now = new Date();
    if ((last_used_at !== null && now.getTime() - last_used_at.getTime() < 60_000) || underWay.has(id)) return;
    underWay.add(id);
    void ApiKey.update({ last_used_at: now, last_used_address: address ?? null }, { where: { id } })
      .catch(onError)
      .finally(() => underWay.delete(id));
  };
}
