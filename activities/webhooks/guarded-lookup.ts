/** The address check at connect time. The checked address is the one that is dialled, so DNS rebinding cannot bypass the check. */
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Resolve } from '../../models/network/name-resolver.js';

/** Thrown when a webhook's name resolves to an address that is not allowed. */
export class BlockedAddressError extends Error {
  readonly code = 'EBLOCKED';
  constructor() {
    super('The address of the webhook is not allowed');
  }
}

/**
 * A `lookup` for `https.request` that refuses a name when any of its addresses is not allowed, because a mixed answer is an attack.
 * @param isAllowed decides about one address
 * @param whose the workspace of the webhook
 */
export function guardedLookup(isAllowed: (address: string) => boolean, resolve: Resolve, whose?: string): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, whose)
      .then((addresses) => {
        if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address))) throw new BlockedAddressError();
        // IPv4 first: receivers test it most often.
        const sorted = addresses.toSorted((a, b) => a.family - b.family);
        const [first] = sorted as [LookupAddress];
        if (options.all === true) callback(null, sorted);
        else callback(null, first.address, first.family);
      })
      .catch((error: NodeJS.ErrnoException) => callback(error, '', 0));
  };
}
