/** Authentication in two steps: read the credential of a request without the database, then look up its workspace. */
import type { Request, Response } from 'express';
import { ApiKey } from '../../models/tables/api-key.js';
import { OpenSession } from '../../models/tables/open-session.js';
import { type AppError, deactivatedApiKey, foreignOrigin, invalidApiKey, invalidToken } from '../../models/errors.js';
import { identifySession } from '../../models/operations/accounts/identify-session.js';
import { BatchQueue } from '../../models/flow/batch-queue.js';
import { type IdentifiedKey, identifyApiKeys, type PresentedKey } from '../../models/operations/api-keys/identify-api-key.js';
import type { Standing } from '../../models/operations/billing/standing.js';
import { isInNetworks } from '../../models/rules/accounts/networks.js';
import { isUuid } from '../../models/rules/values/text.js';
import type { Deps } from '../deps.js';
import type { Auth } from '../http/endpoint.js';
import { assertScope, type Caller } from '../http/caller.js';
import { plainAddress } from '../http/request-context.js';
import { type KeyCredential, presentedKey } from './presented-key.js';
import { isOwnOrigin, sessionCookie } from './console-session.js';
import { type Claims, createTokenReader } from './tokens.js';
import { keyRefused, sessionRefused, tokenRefused } from './why-refused.js';

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

export function createAuthenticator({ config, db, logger }: Pick<Deps, 'config' | 'db' | 'logger'>): Authenticator {
  // Keys that arrive during a query are looked up together by the next one. Each is read after its request arrived, so a revocation takes effect immediately.
  const identified = new BatchQueue<PresentedKey, IdentifiedKey | null>((keys) => identifyApiKeys(db, keys), {
    maxBatchSize: 100,
    concurrency: 2,
  });
  const onError = (err: unknown) => logger.warn({ err }, 'last_used_at was not written');
  const touchKey = lastUsed(
    (id, now, address) => ApiKey.update({ last_used_at: now, last_used_address: address }, { where: { id } }),
    onError,
  );
  const touchSession = lastUsed((id, now) => OpenSession.update({ last_used_at: now }, { where: { id } }), onError);

  return {
    read: createCredentialReader(config),
    async identify(auth, credential) {
      if (credential.kind === 'refused') throw credential.error;
      if (credential.kind === 'none' || auth === 'none' || auth === 'provider') return null;
      if (credential.kind === 'jwt') return workspaceOf({ db, config, touch: touchSession }, credential.claims);
      const key = await identified.add(credential);
      if (key === null) throw invalidApiKey();
      if (!key.is_active) throw deactivatedApiKey();
      if (key.is_expired || (key.allowed_addresses !== null && !isInNetworks(credential.address, key.allowed_addresses)))
        throw invalidApiKey();
      touchKey(key, credential.address);
      return callerOf(key);
    },
    authorize(auth, caller) {
      assertScope(caller, typeof auth === 'object' ? auth.scope : null);
      return caller;
    },
  };
}

/** An explicit credential takes precedence over the cookie of the console, which a browser adds by itself. */
function createCredentialReader({ jwtSecrets, secretKeys, publicUrl }: Deps['config']): Authenticator['read'] {
  const readToken = createTokenReader(jwtSecrets);

  return async (auth, req, res) => {
    if (auth === 'none' || auth === 'provider') return { kind: 'none' };
    const key = req.get('x-api-key') ?? '';
    const hasToken = req.get('authorization') !== undefined;
    const cookie = key === '' && !hasToken ? sessionCookie(req, publicUrl) : null;
    if (cookie !== null) {
      if (!isOwnOrigin(req, publicUrl)) return { kind: 'refused', error: foreignOrigin() };
      const found = await readToken('console', cookie, req, res);
      return found.claims === null ? { kind: 'refused', error: sessionRefused(found.isExpired) } : { kind: 'jwt', claims: found.claims };
    }
    // If both are allowed, an Authorization header takes precedence. Without any credential, the error is that of a missing JWT.
    if (auth === 'jwt' || (auth.jwtToo && (key === '' || hasToken))) {
      const token = bearerOf(req);
      const found = await readToken('access', token, req, res);
      if (found.claims !== null) return { kind: 'jwt', claims: found.claims };
      if (typeof auth === 'object' && auth.portalToo === true) {
        const { claims } = await readToken('portal', token, req, res);
        if (claims !== null) return { kind: 'jwt', claims };
      }
      return { kind: 'refused', error: tokenRefused(auth, req.headers, found.isExpired) };
    }
    const presented = presentedKey(req, secretKeys);
    return presented === undefined ? { kind: 'refused', error: keyRefused(req.headers) } : { ...presented, address: plainAddress(req.ip) };
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

async function workspaceOf({ db, config, touch }: SessionDeps, { sub, tv, jti, exp, wh }: Claims): Promise<Caller> {
  const tokenId = jti !== undefined && isUuid(jti) ? jti : null;
  const owner = await identifySession(db, { workspaceId: sub, tokenId, tokenVersion: tv, idleHours: config.consoleIdleHours });
  if (owner === null) throw invalidToken();
  if (tokenId !== null && owner.is_listed) touch({ id: tokenId, last_used_at: owner.last_used_at });
  const expiresAt = new Date(exp * 1000);
  const session = tokenId === null ? null : { id: tokenId, expiresAt };
  const actor = { type: 'user', id: sub, name: owner.email } as const;
  const { webhooks } = owner;
  const known = { workspaceId: sub, ...standingIn(owner), actor, channels: null, webhooks };
  if (wh !== undefined) return { ...known, session: null, webhookId: wh, scopes: ['manage_webhooks'] };
  return { ...known, session, token: { version: tv, expiresAt } };
}

type SessionDeps = Pick<Deps, 'db' | 'config'> & { touch: Touch };
type StandingIn = Pick<Caller, 'balance' | 'spendLeft' | 'allowedCountries' | 'isVerified' | 'isSuspended'>;

function standingIn({ balance, spend_left, allowed_countries, email_verified, is_suspended }: Standing): StandingIn {
  return { balance, spendLeft: spend_left, allowedCountries: allowed_countries, isVerified: email_verified, isSuspended: is_suspended };
}

const bearerOf = (req: Request) => /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(req.headers.authorization ?? '')?.[1] ?? null;

type Touch = (used: { id: string; last_used_at: Date | null }, address?: string) => void;

/** Writes last_used_at of a key or a session in the background, at most once a minute. */
function lastUsed(write: (id: string, now: Date, address: string | null) => Promise<unknown>, onError: (err: unknown) => void): Touch {
  const underWay = new Set<string>();
  return ({ id, last_used_at }, address) => {
    const now = new Date();
    if ((last_used_at !== null && now.getTime() - last_used_at.getTime() < 60_000) || underWay.has(id)) return;
    underWay.add(id);
    void write(id, now, address ?? null)
      .catch(onError)
      .finally(() => underWay.delete(id));
  };
}
