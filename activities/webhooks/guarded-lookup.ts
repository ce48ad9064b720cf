/** The address check at connect time. The checked address is the one that is dialled, so DNS rebinding cannot bypass the check. */
import type { LookupFunction } from 'node:net';
import type { Resolve } from '../../models/network/name-resolver.js';
import { lookupBy } from '../support/lookup-by.js';

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
  return lookupBy(async (hostname) => {
    const addresses = await resolve(hostname, whose);
    if (addresses.length === 0 || !addresses.every(({ address }) => isAllowed(address))) throw new BlockedAddressError();
    return addresses;
  });
}
