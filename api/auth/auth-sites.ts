/** A second rate limit for /auth: per IPv6 site (/48), in addition to the limit per address. */
import type { Endpoint } from '../http/endpoint.js';
import type { Bucket } from '../http/limits/counters.js';
import { ipv6Of } from '../http/client-address.js';

/** The bucket of the IPv6 /48. One customer may own a /48 with 65,536 networks. Null for IPv4 and other endpoints. */
export function siteBucketOf({ id, rate }: Pick<Endpoint, 'id' | 'rate'>, ip: string | undefined): Bucket | null {
  const address = rate === 'auth' ? ipv6Of(ip) : null;
  if (address === null || address.isIPv4MappedAddress()) return null;
  const site = address.parts.slice(0, 3).map((part) => part.toString(16));
  return { rateClass: 'site', key: `${id}:${site.join(':')}::/48` };
}
