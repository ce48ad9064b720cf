/** Authentication in two steps: read the credential of a request without the database, then look up its workspace. */
import type { Request, Response } from 'express';
import { type AppError, foreignOrigin } from '../../models/errors.js';
import { deactivatedApiKey, invalidApiKey, invalidToken } from '../../models/refused-credentials.js';
import { identifySession } from '../../models/operations/accounts/identify-session.js';
import { BatchQueue } from '../../models/flow/batch-queue.js';
import { type IdentifiedKey, identifyApiKeys, type PresentedKey } from '../../models/operations/api-keys/identify-api-keys.js';
import type { WorkspaceStanding } from '../../models/operations/billing/standing.js';
import { isClientInNetworks } from '../../models/rules/values/networks.js';
import type { Deps } from '../deps.js';
import type { Auth } from '../http/endpoint.js';
import type { Caller } from '../http/caller.js';
import { contextOf, type LoggedCaller } from '../http/request-context.js';
import { type KeyCredential, presentedKey } from './presented-key.js';
import { isOwnOrigin, sessionCookie } from './console-session.js';
import { createTouches, type Touch } from './last-used.js';
import { type Claims, createTokenReader, hasBearer } from './tokens.js';
import { challengeOf, keyRefused, sessionRefused, tokenRefused } from './why-refused.js';

/** The credential of a request; `refused` contains the error of an invalid one, and the workspace of an expired JWT. */
export type Credential =
  | { kind: 'none' }
  | { kind: 'jwt'; claims: Claims }
  | PresentedFrom
  | { kind: 'refused'; error: AppError; workspaceId?: string | undefined };

/** An API key and the client address. */
type PresentedFrom = KeyCredential & { address?: string | undefined };

export interface Authenticator {
  /** Reads the credential that the endpoint needs. No I/O. */
  read(auth: Auth, req: Request, res: Response): Promise<Credential>;
  /**
   * @param note called with the workspace of a credential that is known, also if it is refused
   * @returns the caller of the credential; @throws AppError 401
   */
  identify(auth: Auth, credential: Credential, note: (caller: LoggedCaller) => void): Promise<Caller | null>;
  /**
   * Call it after the body was read. It looks up the credential again if that took long, so that a slow body cannot outlive its credential.
   * @param admittedAt when the credential was looked up, by `performance.now()`: a request may wait for others before its body is read
   * @throws AppError 401
   */
  assertStillValid(auth: Auth, credential: Credential, admittedAt: number): Promise<void>;
}

/** Bodies of usual requests arrive within milliseconds. */
const slowBodyMs = 1_000;
/** A look-up that takes longer waits for a lock, or for an answer that was lost. Those of other keys do not wait for it. */
const slowAfterMs = 2_000;

export function createAuthenticator({ config, db, logger }: Pick<Deps, 'config' | 'db' | 'logger'>): Authenticator {
  // Keys that arrive during a query are looked up together by the next one. Each is read after its request arrived, so a revocation takes effect immediately.
  const identified = new BatchQueue<PresentedKey, IdentifiedKey | null>((keys) => identifyApiKeys(db, keys), {
    maxBatchSize: 100,
    concurrency: 2,
    slowAfterMs,
  });
  const touch = createTouches({ db, logger });

  const identify: Authenticator['identify'] = async (auth, credential, note) => {
    if (credential.kind === 'refused') {
      if (credential.workspaceId !== undefined) note({ workspaceId: credential.workspaceId });
      throw credential.error;
    }
    if (credential.kind === 'none' || auth === 'none' || auth === 'provider') return null;
    if (credential.kind === 'jwt') return callerOfToken({ db, config, touch: touch.session }, credential.claims);
    const key = await identified.add(credential);
    if (key === null) throw invalidApiKey();
    note({ workspaceId: key.workspace_id, keyId: key.id });
    if (!key.is_active) throw deactivatedApiKey();
    if (key.is_expired || (key.allowed_addresses !== null && !isClientInNetworks(credential.address, key.allowed_addresses)))
      throw invalidApiKey();
    touch.key(key, credential.address);
    return callerOfKey(key);
  };

  return {
    read: createCredentialReader(config),
    identify,
    async assertStillValid(auth, credential, admittedAt) {
      if (performance.now() - admittedAt > slowBodyMs) await identify(auth, credential, () => undefined);
    },
  };
}

/** Chooses the credential by the headers. One that a client sets takes precedence over the cookie of the console, which a browser adds by itself. */
function createCredentialReader(config: Deps['config']): Authenticator['read'] {
  const { fromCookie, fromToken, fromKey } = credentialReaders(config);

  return async (auth, req, res) => {
    if (auth === 'none' || auth === 'provider') return { kind: 'none' };
    contextOf(res).challenge = challengeOf(auth);
    const hasToken = hasBearer(req.headers);
    const hasKey = (req.get('x-api-key') ?? '') !== '';
    const cookie = hasToken || hasKey ? null : sessionCookie(req, config.publicUrl);
    if (cookie !== null) return fromCookie(cookie, req, res);
    if (auth === 'jwt') return fromToken(auth, req, res);
    if (!auth.jwtToo) return fromKey(req, res);
    // A token takes precedence. Without any credential, the error is that of a missing token.
    return hasKey && !hasToken ? fromKey(req, res) : fromToken(auth, req, res);
  };
}

/** Each reads one kind of credential. */
function credentialReaders({ jwtSecrets, secretKeys, publicUrl }: Deps['config']) {
  const readToken = createTokenReader(jwtSecrets);

  return {
    async fromCookie(cookie: string, req: Request, res: Response): Promise<Credential> {
      if (!isOwnOrigin(req, publicUrl)) return { kind: 'refused', error: foreignOrigin() };
      const found = await readToken('console', cookie, req, res);
      if (found.claims !== null) return { kind: 'jwt', claims: found.claims };
      return { kind: 'refused', error: sessionRefused(found.isExpired), workspaceId: found.workspaceId };
    },
    async fromToken(auth: Auth, req: Request, res: Response): Promise<Credential> {
      const token = bearerOf(req);
      const found = await readToken('access', token, req, res);
      if (found.claims !== null) return { kind: 'jwt', claims: found.claims };
      if (typeof auth === 'object' && auth.portalToo === true) {
        const portal = await readToken('portal', token, req, res);
        if (portal.claims !== null) return { kind: 'jwt', claims: portal.claims };
      }
      return { kind: 'refused', error: tokenRefused(auth, req.headers, found.isExpired), workspaceId: found.workspaceId };
    },
    fromKey(req: Request, res: Response): Credential {
      const presented = presentedKey(req, secretKeys);
      return presented === undefined
        ? { kind: 'refused', error: keyRefused(req.headers) }
        : { ...presented, address: contextOf(res).address };
    },
  };
}

function callerOfKey(key: IdentifiedKey): Caller {
  return {
    workspaceId: key.workspace_id,
    ...standingIn(key),
    scopes: key.scopes,
    webhooks: key.webhooks,
    actor: { type: 'api_key', id: key.id, name: key.name },
    credential: { keyId: key.id, token: null },
    channels: key.channels,
    session: null,
  };
}

async function callerOfToken({ db, config, touch }: SessionDeps, { typ, sub, tv, jti: tokenId, exp, wh, key }: Claims): Promise<Caller> {
  const keyId = key ?? null;
  const { consoleIdleHours: idleHours } = config;
  const isOfConsole = typ === 'console';
  const owner = await identifySession(db, { workspaceId: sub, tokenId, tokenVersion: tv, isOfConsole, keyId, idleHours });
  if (owner === null) throw invalidToken();
  if (owner.is_listed) touch({ id: tokenId, last_used_at: owner.last_used_at });
  const actor = { type: 'user', id: sub, name: owner.email } as const;
  const { webhooks } = owner;
  const token = { id: tokenId, version: tv };
  const known = { workspaceId: sub, ...standingIn(owner), actor, credential: { keyId, token }, channels: null, webhooks };
  if (wh !== undefined) return { ...known, session: null, portalWebhookId: wh, scopes: ['manage_webhooks'] };
  return { ...known, session: { ...token, expiresAt: new Date(exp * 1000) } };
}

type SessionDeps = Pick<Deps, 'db' | 'config'> & { touch: Touch };
type StandingIn = Pick<Caller, 'balance' | 'spendLeft' | 'allowedCountries' | 'isVerified' | 'isSuspended'>;

function standingIn({ balance, spend_left, allowed_countries, email_verified, is_suspended }: WorkspaceStanding): StandingIn {
  return { balance, spendLeft: spend_left, allowedCountries: allowed_countries, isVerified: email_verified, isSuspended: is_suspended };
}

const bearerOf = (req: Request) => /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(req.headers.authorization ?? '')?.[1] ?? null;
