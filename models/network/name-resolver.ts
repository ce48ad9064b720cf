/**
 * Resolves the host names of webhooks and carriers. Uses its own sockets, not the system's `getaddrinfo`: that looks up two names at the same
 * time for the whole process, and a few names with unresponsive servers would block all other connections by name.
 */
import { NODATA, NOTFOUND, type LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import { createConcurrencyLimit } from '../flow/concurrency-limit.js';
import { addressesInHosts } from './hosts-file.js';

/**
 * All addresses of a name.
 * @param whose the workspace that asks. Its look-ups wait for each other only
 * @throws an error with the code ENOTFOUND, ETIMEOUT or another DNS code
 */
export type Resolve = (name: string, whose?: string) => Promise<LookupAddress[]>;

export interface ResolverOptions {
  /** DNS servers; empty: those of the system. */
  servers: readonly string[];
  /** The timeout of a look-up, and of a look-up including its wait for others. */
  lookUpMs?: number;
  totalMs?: number;
}

/** How many look-ups of a workspace run at the same time, and how many may wait. */
const ofWorkspace = { maxPerKey: 6, maxWaitingPerKey: 200 };

/** Names are used as they are, without the search domains of the system. */
export function createResolver({ servers, lookUpMs = 2_000, totalMs = 4_000 }: ResolverOptions): Resolve {
  const withLimit = createConcurrencyLimit({ max: Number.POSITIVE_INFINITY, ...ofWorkspace });
  return async (name, whose) => {
    const known = await withoutDns(name.toLowerCase().replace(/\.$/, ''));
    if (known.length > 0) return known.map(found);
    const until = performance.now() + totalMs;
    return withLimit(() => {
      const leftMs = Math.min(lookUpMs, until - performance.now());
      return leftMs <= 0 ? Promise.reject(timedOut()) : ask(name, servers, leftMs);
    }, whose);
  };
}

/** `localhost` is this machine, whatever a server answers (RFC 6761). */
async function withoutDns(name: string): Promise<readonly string[]> {
  const own = (await addressesInHosts(name)).filter((address) => isIP(address) !== 0);
  if (own.length > 0) return own;
  return name === 'localhost' || name.endsWith('.localhost') ? ['127.0.0.1', '::1'] : [];
}

/** One resolver per look-up, because cancelling a resolver cancels all its look-ups. */
async function ask(name: string, servers: readonly string[], timeoutMs: number): Promise<LookupAddress[]> {
  const resolver = new Resolver({ timeout: Math.ceil(timeoutMs / 2), tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    resolver.cancel();
  }, timeoutMs);
  try {
    const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length > 0) return addresses.map(found);
    throw isLate ? timedOut() : reasonOf(answers);
  } finally {
    clearTimeout(timer);
  }
}

const found = (address: string): LookupAddress => ({ address, family: isIP(address) });

const timedOut = () => failure('name not resolved in time', 'ETIMEOUT');
const failure = (message: string, code: string) => Object.assign(new Error(message), { code });

/** "No such name" is the reason only if there was no other failure. */
function reasonOf(answers: PromiseSettledResult<string[]>[]): Error {
  const codes = answers.flatMap((answer) => (answer.status === 'rejected' ? [String((answer.reason as NodeJS.ErrnoException).code)] : []));
  const other = codes.find((code) => code !== NODATA && code !== NOTFOUND);
  return failure('name not resolved', other ?? 'ENOTFOUND');
}
