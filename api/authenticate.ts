/** Credentials. First what a request presents, judged without the database; then, after the limit, whose it is. */
import { randomUUID } from 'node:crypto';
import type { Request, Response } from 'express';
import jwt from 'jsonwebtoken';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { ApiKey } from '../models/api-key.js';
import {
  type AppError,
  deactivatedApiKey,
  expiredToken,
  invalidApiKey,
  invalidToken,
  missingApiKey,
  missingScope,
} from '../models/errors.js';
import { Gather } from '../models/gather.js';
import { type IdentifiedKey, identifyApiKeys, type PresentedKey } from '../models/operations/identify-api-key.js';
import { type Standing, accountOf } from '../models/operations/spending/standing.js';
import type { Scope } from '../models/rules/api-key.js';
import { isUuid } from '../models/rules/text.js';
import type { Workspace } from '../models/workspace.js';
import type { Deps } from './deps.js';
import type { Auth, Caller } from './endpoint.js';
import { type KeyCredential, presentedKey } from './presented-key.js';

const issuer = 'tidings';
const audience = 'tidings-api';
const lifetimeSeconds = 30 * 24 * 3600;

interface Claims {
  sub: string;
  /** The workspace's token version when this was issued; another one now means that the password was changed since. */
  tv: number;
}

/** What a request presents; `refused` names why it cannot be anybody's. */
export type Credential = { kind: 'none' } | { kind: 'jwt'; claims: Claims } | KeyCredential | { kind: 'refused'; error: AppError };

export interface Authenticator {
  /** Reads what the endpoint asks for; no I/O. */
  read(auth: Auth, req: Request, res: Response): Promise<Credential>;
  /** The caller that the credential belongs to; throws 401, or 403 when a key lacks the scope. */
  identify(auth: Auth, credential: Credential): Promise<Caller | null>;
}

/** A JWT for this workspace, good for 30 days or until its password changes. */
export function issueToken(jwtSecret: string, { id, token_version }: Pick<Workspace, 'id' | 'token_version'>): string {
  const claims = { typ: 'access', tv: token_version };
  return jwt.sign(claims, jwtSecret, {
    algorithm: 'HS256',
    subject: id,
    issuer,
    audience,
    expiresIn: lifetimeSeconds,
    jwtid: randomUUID(),
  });
}

export function createAuthenticator({ config, db, logger }: Pick<Deps, 'config' | 'db' | 'logger'>): Authenticator {
  const readJwt = jwtReader(config.jwtSecret);
  // Those that come while others are asked for go together. Each is asked for after it came: a revocation holds at once.
  const identified = new Gather<PresentedKey, IdentifiedKey | null>((keys) => identifyApiKeys(db, keys), { most: 100, lanes: 2 });
  const touched = lastUsed((err) => logger.warn({ err }, 'last_used_at was not written'));

  return {
    async read(auth, req, res) {
      if (auth === 'none' || auth === 'provider') return { kind: 'none' };
      const key = req.get('x-api-key') ?? '';
      // Where either will do, an Authorization header decides; without any, the answer speaks of the token.
      if (auth === 'jwt' || (auth.jwtToo && (key === '' || req.get('authorization') !== undefined))) return readJwt(req, res);
      if (key === '') return { kind: 'refused', error: missingApiKey() };
      return presentedKey(req, config.secretKeys) ?? { kind: 'refused', error: invalidApiKey() };
    },
    async identify(auth, credential) {
      if (credential.kind === 'refused') throw credential.error;
      if (credential.kind === 'none' || auth === 'none' || auth === 'provider') return null;
      if (credential.kind === 'jwt') return workspaceOf(db, credential.claims);
      const key = await identified.add(credential);
      if (key === null) throw invalidApiKey();
      if (!key.is_active) throw deactivatedApiKey();
      touched(key);
      return callerOf(key, auth === 'jwt' ? undefined : auth.scope);
    },
  };
}

function callerOf(key: IdentifiedKey, scope: Scope | undefined): Caller {
  if (scope !== undefined && !key.scopes.includes(scope)) throw missingScope(scope);
  return { workspaceId: key.workspace_id, ...standingIn(key), actor: { type: 'api_key', id: key.id, name: key.name } };
}

type StandingIn = Omit<Caller, 'workspaceId' | 'actor'>;

function standingIn({ balance, spend_left, allowed_countries, email_verified, is_suspended }: Standing): StandingIn {
  return { balance, spendLeft: spend_left, allowedCountries: allowed_countries, isVerified: email_verified, isSuspended: is_suspended };
}

async function workspaceOf(db: Deps['db'], { sub, tv }: Claims): Promise<Caller> {
  const workspace = await accountOf(db, sub);
  if (workspace?.token_version !== tv) throw invalidToken();
  return { workspaceId: sub, ...standingIn(workspace), actor: { type: 'user', id: sub, name: workspace.email } };
}

/** passport-jwt with everything pinned: the algorithm, who issued the token, for whom, for what, and for how long. */
function jwtReader(jwtSecret: string): (req: Request, res: Response) => Promise<Credential> {
  const authenticator = new passport.Passport();
  const strategy = new Strategy(
    {
      jwtFromRequest: (req) => /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(req.headers.authorization ?? '')?.[1] ?? null,
      secretOrKey: jwtSecret,
      algorithms: ['HS256'],
      issuer,
      audience,
      jsonWebTokenOptions: { maxAge: lifetimeSeconds },
    },
    (claims: Partial<Claims> & { typ?: unknown }, done) => {
      const isOurs = claims.typ === 'access' && isUuid(String(claims.sub)) && typeof claims.tv === 'number';
      done(null, isOurs ? claims : false);
    },
  );
  authenticator.use('jwt', strategy);
  return (req, res) =>
    new Promise((resolve, reject) => {
      const answer = (err: unknown, claims: Claims | false | undefined, info: unknown) => {
        if (err !== null && err !== undefined) reject(err as Error);
        else if (claims) resolve({ kind: 'jwt', claims });
        else resolve({ kind: 'refused', error: info instanceof jwt.TokenExpiredError ? expiredToken() : invalidToken() });
      };
      authenticator.authenticate('jwt', { session: false }, answer)(req, res, reject);
    });
}

/** Notes the use of a key, off the request's path and at most once a minute. */
function lastUsed(onError: (err: unknown) => void): (key: IdentifiedKey) => void {
  const underWay = new Set<string>();
  return ({ id, last_used_at }) => {
    const now = new Date();
    if ((last_used_at !== null && now.getTime() - last_used_at.getTime() < 60_000) || underWay.has(id)) return;
    underWay.add(id);
    void ApiKey.update({ last_used_at: now }, { where: { id } })
      .catch(onError)
      .finally(() => underWay.delete(id));
  };
}
