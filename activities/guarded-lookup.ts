/** The address guard at connect time: the address that was checked is the one that is dialled, so a name cannot be rebound in between. */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

/** All addresses of a name. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

const resolveTimeoutMs = 2_000;
const resolveAll: Resolve = (hostname) => lookup(hostname, { all: true, verbatim: true });

/** Thrown where a webhook points to an address that it must not reach. */
export class BlockedAddressError extends Error {
  readonly code = 'EBLOCKED';
  constructor() {
    super('address not allowed');
  }
}

/**
 * A `lookup` for `https.request` that refuses a name when any of its addresses is refused: a mixed answer is an attack, not
 * a choice.
 * @param isAllowed decides about one address
 */
export function guardedLookup(
  isAllowed: (address: string) => boolean,
  resolve: Resolve = resolveAll,
  timeoutMs = resolveTimeoutMs,
): LookupFunction {
  return (hostname, options, callback) => {
    inTime(resolve(hostname), timeoutMs)
      .then((addresses) => {
        if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address))) throw new BlockedAddressError();
        // IPv4 first, as resolvers of receivers are most often tested with it.
        const sorted = addresses.toSorted((a, b) => a.family - b.family);
        const [first] = sorted as [LookupAddress];
        if (options.all === true) callback(null, sorted);
        else callback(null, first.address, first.family);
      })
      .catch((error: NodeJS.ErrnoException) => callback(error, '', 0));
  };
}

async function inTime(addresses: Promise<LookupAddress[]>, timeoutMs: number): Promise<LookupAddress[]> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('name not resolved in time'), { code: 'ETIMEOUT' })), timeoutMs);
  });
  try {
    return await Promise.race([addresses, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
