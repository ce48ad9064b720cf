import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';

/** A `lookup` for connections that asks `resolve`. IPv4 first: receivers test it most often. @param resolve returns at least one address */
export function lookupBy(resolve: (hostname: string) => Promise<readonly LookupAddress[]>): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname)
      .then((addresses) => {
        const sorted = addresses.toSorted((a, b) => a.family - b.family);
        const [first] = sorted as [LookupAddress];
        if (options.all === true) callback(null, sorted);
        else callback(null, first.address, first.family);
      })
      .catch((error: NodeJS.ErrnoException) => callback(error, '', 0));
  };
}
