/** Rate limits and authentication of a request, in an order in which a flood of requests slows down no other client. */
import { statusOf } from '../http/errors/error-status.js';
import { AppError } from '../../models/errors.js';
import { type ConcurrencyLimit, createConcurrencyLimit } from '../../models/flow/concurrency-limit.js';
import { assertScope, type Caller } from '../http/caller.js';
import { type Endpoint, scopeOf } from '../http/endpoint.js';
import type { Bucket } from '../http/limits/counters.js';
import type { HeaderSink, Limiter } from '../http/rate-limit.js';
import type { LoggedCaller } from '../http/request-context.js';
import type { Authenticator, Credential } from './authenticate.js';
import type { KnownCallers } from './known-callers.js';
import { cacheKeyOfApiKey } from './presented-key.js';
import type { Claims } from './tokens.js';

/** A request for an endpoint, before its credential is looked up. */
export interface AccessRequest {
  item: Pick<Endpoint, 'id' | 'rate' | 'auth'>;
  credential: Credential;
  /** The client address, in the form in which the limiter counts it. */
  address: string;
  /** Called as soon as the workspace of the credential is known, also if the request is refused afterwards. */
  note(caller: LoggedCaller): void;
}

/**
 * Counts the request, and returns its caller; null where the endpoint needs no credential.
 * @throws AppError 429, 401, 403, or 503 when too many look-ups of unknown keys wait
 */
export type Admit = (request: AccessRequest, res: HeaderSink) => Promise<Caller | null>;

/** How credentials are read and admitted. A process has it once, so that all its requests share queues and limits of look-ups. */
export interface Access {
  authenticator: Authenticator;
  admit: Admit;
}

export const workspaceBucket = (workspaceId: string): Bucket => ({ rateClass: 'workspace', key: workspaceId });

/**
 * The rate-limit bucket of a request. A request without a plausible credential counts for its client address.
 * @param keyId the id of its API key if it is known. All processes count by it, also while their digests differ because SECRET_KEY is changed
 */
export function bucketOf(item: Pick<Endpoint, 'id' | 'rate'>, credential: Credential, address: string, keyId?: string): Bucket {
  if (item.rate === 'auth') return { rateClass: 'auth', key: `${item.id}:${address}` };
  if (item.rate === 'callback' || item.rate === 'probe') return { rateClass: item.rate, key: address };
  if (credential.kind === 'key') return { rateClass: item.rate ?? 'api', key: keyId ?? cacheKeyOfApiKey(credential) };
  // The token version is part of the key, so that a revoked token cannot use up the limit of newer ones.
  // An operation with a limit of its own counts for the workspace, such as a bulk send by a session of the console.
  if (credential.kind === 'jwt' && item.rate !== undefined) return { rateClass: item.rate, key: `workspace:${credential.claims.sub}` };
  // Requests with a portal link do not use up the limit of the owner's sessions. They count for the workspace, too.
  if (credential.kind === 'jwt' && credential.claims.wh !== undefined) return { rateClass: 'jwt', key: `portal:${credential.claims.wh}` };
  if (credential.kind === 'jwt') return { rateClass: 'jwt', key: `${credential.claims.sub}:${credential.claims.tv}` };
  return { rateClass: 'address', key: item.id === 'getHealth' ? `health:${address}` : address };
}

/** Counts the requests with a token that has ended, whatever their address. A token that is valid is never counted in it. */
const endedTokenBucket = ({ jti }: Claims): Bucket => ({ rateClass: 'failure', key: `token ${jti}` });

/** By which `KnownCallers` remembers a credential. It is not the key of the bucket: under /auth, all clients of an address share a bucket. */
const cacheKeyOf = (credential: Extract<Credential, { kind: 'jwt' | 'key' }>): string =>
  credential.kind === 'jwt' ? `${credential.claims.sub}:${credential.claims.tv}` : cacheKeyOfApiKey(credential);

/**
 * A credential that this process has seen before is counted first, together with its workspace, and looked up afterwards. An unknown API
 * key may be invented. It is looked up first, with few look-ups per client address at a time, and an invalid key counts for the address.
 * A token that was often refused is refused before it is counted for its workspace.
 */
export function createAdmit(limiter: Limiter, authenticator: Authenticator, known: KnownCallers): Admit {
  const lookups = new CountedLookups(limiter, known);

  return async (request, res) => {
    const { item, credential, note } = request;
    const lookUp = () => authenticator.identify(item.auth, credential, note);
    if (credential.kind === 'none' || credential.kind === 'refused') {
      await limiter.consume(bucketOf(item, credential, request.address), res);
      return lookUp();
    }
    const cacheKey = cacheKeyOf(credential);
    const seen = known.callerOf(cacheKey);
    const bucket = bucketOf(item, credential, request.address, seen?.keyId);
    const ended = credential.kind === 'jwt' ? endedTokenBucket(credential.claims) : null;
    const identify = ended === null ? lookUp : () => lookups.ofToken({ bucket, ended, address: request.address }, res, lookUp);
    const owner = credential.kind === 'jwt' ? { workspaceId: credential.claims.sub } : seen;
    if (owner !== undefined) note(owner);
    if (ended !== null) await limiter.assertRoom(ended, res);
    const caller =
      seen === undefined
        ? await lookups.ofUnknown(request, { bucket, cacheKey }, res, identify)
        : await lookups.ofKnown({ bucket, cacheKey }, workspaceBucket(seen.workspaceId), res, identify);
    assertScope(caller, scopeOf(item.auth));
    return caller;
  };
}

/** The id of the API key of a caller. */
export const keyIdOf = ({ actor }: Caller): string | undefined => (actor.type === 'api_key' ? (actor.id ?? undefined) : undefined);

const isUnauthorized = (error: unknown): boolean => error instanceof AppError && statusOf(error) === 401;

type Identify = () => Promise<Caller | null>;

/** The bucket of a credential, and the key by which `KnownCallers` remembers it. */
interface Counted {
  bucket: Bucket;
  cacheKey: string;
}

/** The bucket of a token's requests, that of the token after its end, and the client address. */
interface CountedToken {
  bucket: Bucket;
  ended: Bucket;
  address: string;
}

/** Looks up callers and counts their requests. */
class CountedLookups {
  readonly #unknownKeys: UnknownKeyLookups;

  constructor(
    private readonly limiter: Limiter,
    private readonly known: KnownCallers,
  ) {
    this.#unknownKeys = new UnknownKeyLookups(limiter);
  }

  async ofKnown({ bucket, cacheKey }: Counted, ofWorkspace: Bucket, res: HeaderSink, identify: Identify): Promise<Caller | null> {
    const beganAt = performance.now(); // before its rate-limit window can begin: see `lookUpEveryMs` in `load-shedding.ts`
    await this.limiter.consume(bucket, res, ofWorkspace);
    const caller = await identify().catch((error: unknown) => {
      this.known.forget(cacheKey);
      this.limiter.giveBack(ofWorkspace); // a revoked key must not use up the workspace's limit
      throw error;
    });
    this.known.confirm(cacheKey, beganAt);
    return caller;
  }

  /**
   * All tokens of a workspace share a bucket, which an ended one must not use up. It counts for itself, because it may come from any number
   * of addresses, and for the address, as an invalid key does.
   */
  ofToken({ bucket, ended, address }: CountedToken, res: HeaderSink, identify: Identify): Promise<Caller | null> {
    return identify().catch(async (error: unknown) => {
      if (isUnauthorized(error) && bucket.rateClass !== 'auth') {
        this.limiter.giveBack(bucket);
        await this.limiter.consume(ended, res, { rateClass: 'address', key: address });
      }
      throw error;
    });
  }

  async ofUnknown(
    { item, credential, address }: AccessRequest,
    { bucket, cacheKey }: Counted,
    res: HeaderSink,
    identify: Identify,
  ): Promise<Caller | null> {
    const { limiter, known } = this;
    const beganAt = performance.now();
    const isJwt = credential.kind === 'jwt';
    if (isJwt) await limiter.consume(bucket, res);
    const caller = await (isJwt ? identify() : this.#unknownKeys.run(address, res, identify));
    if (caller === null) return null;
    const ofWorkspace = workspaceBucket(caller.workspaceId);
    const keyId = keyIdOf(caller);
    await (isJwt ? limiter.consume(ofWorkspace, res) : limiter.consume(bucketOf(item, credential, address, keyId), res, ofWorkspace));
    known.remember(cacheKey, { workspaceId: caller.workspaceId, keyId }, beganAt);
    return caller;
  }
}

/** Look-ups of one client address. A platform with many keys has fewer than `maxWaiting` when this process starts. */
const lookupLimits = { max: 8, maxWaiting: 1_000 };

/** Looks up API keys that this process has not seen yet. */
class UnknownKeyLookups {
  readonly #byAddress = new Map<string, { limit: ConcurrencyLimit; count: number }>();

  constructor(private readonly limiter: Limiter) {}

  /** @throws AppError 429 when this address presented too many invalid keys, 503 when too many of its look-ups wait; what the look-up throws */
  async run<Result>(address: string, res: HeaderSink, lookUp: () => Promise<Result>): Promise<Result> {
    const bucket: Bucket = { rateClass: 'address', key: address };
    const lookups = this.#byAddress.get(address) ?? { limit: createConcurrencyLimit(lookupLimits), count: 0 };
    this.#byAddress.set(address, lookups);
    lookups.count += 1;
    try {
      return await lookups.limit(async () => {
        await this.limiter.assertRoom(bucket, res);
        return lookUp().catch(async (error: unknown) => {
          if (isUnauthorized(error)) await this.limiter.consume(bucket, res);
          throw error;
        });
      });
    } finally {
      lookups.count -= 1;
      if (lookups.count === 0) this.#byAddress.delete(address);
    }
  }
}
