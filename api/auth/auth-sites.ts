/** A second rate limit for /auth: per IPv6 site (/48), in addition to the limit per address. */
import type { Endpoint } from '../http/endpoint.js';
import type { Bucket } from '../http/limits/counters.js';
import { siteOf } from '../http/client-address.js';

/** The bucket of the IPv6 /48. One customer may own a /48 with 65,536 networks. Null for IPv4 and other endpoints. */
export function siteBucketOf({ id, rate }: Pick<Endpoint, 'id' | 'rate'>, ip: string | undefined): Bucket | null {
  const site = rate === 'auth' ? siteOf(ip) : null;
  return site === null ? null : { rateClass: 'site', key: `${id}:${site}` };
}
