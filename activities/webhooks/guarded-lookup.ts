/** The address guard at connect time: the address that was checked is the one that is dialled, so a name cannot be rebound in between. */
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Resolve } from '../../models/process/name-resolver.js';

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
 * @param whose the workspace that asks
 */
export function guardedLookup(isAllowed: (address: string) => boolean, resolve: Resolve, whose?: string): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, whose)
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
