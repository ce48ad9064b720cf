/** Who is asking, and whether he may ask now: the limits and the credential of a request, in an order in which no flood costs others. */
import { AppError } from '../../models/errors.js';
import { createTurnstile, type Turnstile } from '../../models/flow/turnstile.js';
import type { Authenticator, Credential } from './authenticate.js';
import type { Endpoint } from '../http/endpoint.js';
import type { Caller } from '../http/caller.js';
import type { KnownCallers } from './known-callers.js';
import type { Bucket, Headers, Limiter } from '../http/rate-limit.js';

/** What is asked for, by whom as far as can be seen, and from where. */
export interface Asking {
  item: Pick<Endpoint, 'id' | 'rate' | 'auth'>;
  credential: Credential;
  /** As the limiter counts it. */
  address: string;
}

/** @throws AppError 429, 401 or 403 */
export type Admittance = (asking: Asking, res: Headers) => Promise<Caller | null>;

export const ofWorkspace = (workspaceId: string): Bucket => ({ rateClass: 'workspace', key: workspaceId });

/** Whose requests are counted together. Without a credential that can be anybody's, the address answers for them. */
export function bucketOf(item: Pick<Endpoint, 'id' | 'rate'>, credential: Credential, address: string): Bucket {
  if (item.rate === 'auth') return { rateClass: 'auth', key: `${item.id}:${address}` };
  if (item.rate === 'callback' || item.rate === 'probe') return { rateClass: item.rate, key: address };
  if (credential.kind === 'key') return { rateClass: item.rate ?? 'api', key: credential.digest.toString('base64url') };
  // An old token must not be able to use up the limit of those who hold a newer one.
  if (credential.kind === 'jwt') return { rateClass: 'jwt', key: `${credential.claims.sub}:${credential.claims.tv}` };
  return { rateClass: 'address', key: item.id === 'health.get' ? `health:${address}` : address };
}

/**
 * A credential that this process knows is counted, with its workspace, before it is looked up. A key that it does not know could be
 * invented: it is looked up first, few of an address at a time, and the address answers for those that are nobody's.
 */
export function createAdmittance(limiter: Limiter, authenticator: Authenticator, known: KnownCallers): Admittance {
  const strangers = new Strangers(limiter);

  return async (asking, res) => {
    const { item, credential } = asking;
    const bucket = bucketOf(item, credential, asking.address);
    const identify = () => authenticator.identify(item.auth, credential);
    if (credential.kind === 'none' || credential.kind === 'refused') {
      await limiter.consume(bucket, res);
      return identify();
    }
    const workspaceId = known.workspaceOf(bucket.key);
    if (workspaceId === undefined) return introduced(await meet(asking, bucket, res, identify), bucket.key, asking);
    const counted = ofWorkspace(workspaceId);
    await limiter.consume(bucket, res, counted);
    const caller = await identify().catch((error: unknown) => {
      known.forget(bucket.key);
      limiter.giveBack(counted); // a key that was revoked uses up nothing of those that were not
      throw error;
    });
    return authenticator.authorize(item.auth, caller);
  };

  async function meet({ credential, address }: Asking, bucket: Bucket, res: Headers, identify: () => Promise<Caller | null>) {
    if (credential.kind === 'jwt') {
      await limiter.consume(bucket, res);
      const caller = await identify();
      if (caller !== null) await limiter.consume(ofWorkspace(caller.workspaceId), res);
      return caller;
    }
    const caller = await strangers.meet(address, res, identify);
    if (caller !== null) await limiter.consume(bucket, res, ofWorkspace(caller.workspaceId));
    return caller;
  }

  function introduced(caller: Caller | null, name: string, { item }: Asking): Caller | null {
    if (caller !== null) known.note(name, caller.workspaceId);
    return authenticator.authorize(item.auth, caller);
  }
}

/** Look-ups of one address at once, and those that may wait: more than a platform with many keys has when this process starts. */
const lookUps = { most: 8, waitingMax: 1_000 };

/** Keys that this process has not seen yet. */
class Strangers {
  readonly #turns = new Map<string, { turn: Turnstile; count: number }>();

  constructor(private readonly limiter: Limiter) {}

  /** @throws AppError 429 where too many keys from this address were nobody's; what the look-up throws */
  async meet<Result>(address: string, res: Headers, lookUp: () => Promise<Result>): Promise<Result> {
    const bucket: Bucket = { rateClass: 'address', key: address };
    const turns = this.#turns.get(address) ?? { turn: createTurnstile(lookUps), count: 0 };
    this.#turns.set(address, turns);
    turns.count += 1;
    try {
      return await turns.turn(async () => {
        await this.limiter.assertRoom(bucket, res);
        return lookUp().catch(async (error: unknown) => {
          if (error instanceof AppError && error.status === 401) await this.limiter.consume(bucket, res);
          throw error;
        });
      });
    } finally {
      turns.count -= 1;
      if (turns.count === 0) this.#turns.delete(address);
    }
  }
}
