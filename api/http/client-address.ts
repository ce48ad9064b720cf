/** The address of the client of a request, also behind proxies, and the key under which limits count it. */
import type { IncomingMessage } from 'node:http';
import { isIPv4 } from 'node:net';
import express, { type Request } from 'express';
import ipaddr from 'ipaddr.js';

/** Returns the client address of a request; undefined when its connection is closed. */
export type ClientAddress = (req: IncomingMessage) => string | undefined;

/** The client address in its usual form: an IPv4 address that arrives over an IPv6 socket is written as IPv4. */
const plainAddress = (ip: string | undefined): string | undefined =>
  ip?.toLowerCase().startsWith('::ffff:') === true && ip.includes('.') ? ip.slice('::ffff:'.length) : ip;

/** How many entries of X-Forwarded-For are read, from its end. Proxies append to the list, so what is before the last ones is from the client. */
const entriesMax = 32;
/** Longer than every address with its zone and port. */
const entryLengthMax = 64;

/**
 * The last entries of the list, without the ports that some gateways add: with them each connection would be an address of its own, without a
 * limit. Anyone can send this header and nothing is counted before it is read, so the work is bounded and no expression backtracks.
 */
function lastEntries(list: string): string {
  const end = list.slice(-entriesMax * entryLengthMax);
  return end
    .split(',')
    .map((entry) => entry.trim().slice(0, entryLengthMax))
    .filter((entry) => entry !== '')
    .slice(-entriesMax)
    .map(withoutPort)
    .join(',');
}

/** `[2001:db8::1]:443` and `192.0.2.1:443` without port and brackets; another text as it is. */
function withoutPort(entry: string): string {
  if (entry.startsWith('[') && entry.includes(']')) return entry.slice(1, entry.indexOf(']'));
  const [host = '', ...ports] = entry.split(':');
  return ports.length === 1 && isIPv4(host) ? host : entry;
}

/**
 * Creates a function that returns the client address of a request: that of its connection, or behind trusted proxies what they say in
 * X-Forwarded-For. Express computes it, because it knows the rules of proxies. It reads this header and the socket only, so the request need
 * not reach an application. The application itself trusts no proxy: take the address from the context of the request, not from `req.ip`.
 * @param trustedProxies networks and addresses of proxies
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  if (trustedProxies.length === 0) return (req) => plainAddress(req.socket.remoteAddress);
  const app = express();
  app.set('trust proxy', trustedProxies);
  const { request } = app as unknown as { request: Request };
  return (req) => {
    const given = req.headers['x-forwarded-for'];
    const headers = typeof given === 'string' ? { 'x-forwarded-for': lastEntries(given) } : {};
    const seen = Object.create(request, { headers: { value: headers }, socket: { value: req.socket } }) as Request;
    return plainAddress(seen.ip);
  };
}

/** An IPv6 address without its zone, which is a name on one machine only. Null for IPv4, and for a text of a proxy that is no address. */
function ipv6Of(ip: string | undefined): ipaddr.IPv6 | null {
  const [address = ''] = ip?.split('%') ?? [];
  return ipaddr.IPv6.isValid(address) ? ipaddr.IPv6.parse(address) : null;
}

/** The client address as limits count it: an IPv4 address, or the /64 network of an IPv6 address, because one customer owns a whole /64. */
export function addressKey(ip: string | undefined): string {
  const address = ipv6Of(ip);
  if (address === null) return ip ?? 'unknown';
  return address.isIPv4MappedAddress() ? address.toIPv4Address().toString() : networkOf(address, 4);
}

/** The site of a client address: the /48 of an IPv6 address, because one customer may own its 65,536 networks. Null for any other address. */
export function siteOf(ip: string | undefined): string | null {
  const address = ipv6Of(ip);
  return address === null || address.isIPv4MappedAddress() ? null : networkOf(address, 3);
}

/** The network of an address by its first parts, of 16 bits each. */
function networkOf(address: ipaddr.IPv6, parts: number): string {
  const first = address.parts.slice(0, parts).map((part) => part.toString(16));
  return `${first.join(':')}::/${parts * 16}`;
}
