/** Requests under /auth, counted beside their address: by the site that it belongs to. */
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Endpoint } from '../http/endpoint.js';
import type { Bucket } from '../http/rate-limit.js';

/** Of IPv6 the /48 that one customer may have, with 65,536 networks of its own; null for others. */
export function siteBucketOf({ id, rate }: Pick<Endpoint, 'id' | 'rate'>, ip: string | undefined): Bucket | null {
  if (rate !== 'auth' || ip === undefined || !isIPv6(ip)) return null;
  const address = ipaddr.IPv6.parse(ip);
  if (address.isIPv4MappedAddress()) return null;
  const site = address.parts.slice(0, 3).map((part) => part.toString(16));
  return { rateClass: 'site', key: `${id}:${site.join(':')}::/48` };
}

/** Where the headers of a limit go that speaks of nobody's own requests. */
export const noHeaders = { setHeader: () => undefined };
