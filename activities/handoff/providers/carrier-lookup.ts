/** Looks up the name of a carrier. One whose servers do not answer must not delay calls to the others. */
import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { createResolver } from '../../../models/network/name-resolver.js';
import { lookupBy } from '../../support/lookup-by.js';

const systemLookup = (name: string): Promise<LookupAddress[]> => lookup(name, { all: true });

/**
 * A `lookup` for the connections of one account, which share one look-up at a time. It asks the system only when DNS has responded without an
 * address, as for the name of a service in a cluster. The system's resolver looks up two names at the same time, for the whole process.
 */
export function carrierLookup(resolve = createResolver({ servers: [] }), system = systemLookup): LookupFunction {
  let running: Promise<LookupAddress[]> | undefined;
  const ask = (name: string) =>
    resolve(name).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ETIMEOUT') throw error;
      return system(name);
    });
  return lookupBy((name) => (running ??= ask(name).finally(() => (running = undefined))));
}
