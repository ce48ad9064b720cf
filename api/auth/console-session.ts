/** The session of the console: a JWT in a cookie, which works from the console's own origin only. */
import type { IncomingHttpHeaders } from 'node:http';
import { lifetimeSeconds } from './tokens.js';

interface HasHeaders {
  method: string;
  headers: IncomingHttpHeaders;
}

/** A loopback address has no https, and browsers send no `Secure` cookie to it. */
function isSecure(publicUrl: string): boolean {
  const { hostname, protocol } = new URL(publicUrl);
  const isLoopback =
    hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127(?:\.\d+){3}$/.test(hostname);
  return protocol === 'https:' || !isLoopback;
}

/** With the prefix `__Host-`, browsers accept the cookie only from this host and over https, so no other host of the domain can set it. */
const cookieName = (publicUrl: string): string => (isSecure(publicUrl) ? '__Host-tidings_session' : 'tidings_session');

/** The value of `Set-Cookie` that begins a session; with null the one that ends it. */
export function setCookie(publicUrl: string, token: string | null): string {
  const age = token === null ? 0 : lifetimeSeconds.console;
  const secure = isSecure(publicUrl) ? '; Secure' : '';
  return `${cookieName(publicUrl)}=${token ?? ''}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${secure}`;
}

/** The session of a request; null without one. */
export function sessionCookie({ headers }: Pick<HasHeaders, 'headers'>, publicUrl: string): string | null {
  if (headers.cookie === undefined) return null;
  const prefix = `${cookieName(publicUrl)}=`;
  const pair = headers.cookie.split(';').find((each) => each.trimStart().startsWith(prefix));
  const token = pair?.trim().slice(prefix.length) ?? '';
  return token === '' ? null : token;
}

/**
 * Whether a request with the session comes from a page of this service. Browsers add `Sec-Fetch-Site`, which no page can change; older ones
 * add `Origin` to changes. A change with neither is refused. A read with neither is accepted: it comes from a program or an old browser.
 */
export function isOwnOrigin({ method, headers }: HasHeaders, publicUrl: string): boolean {
  const isRead = method === 'GET' || method === 'HEAD';
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || (site === 'none' && isRead);
  if (headers.origin === undefined) return isRead;
  return isOrigin(headers.origin, headers.host, publicUrl);
}

/** Whether the request may log in: it comes from our own pages, or from a program, which sends neither header. */
export function mayLogIn(headers: IncomingHttpHeaders, publicUrl: string): boolean {
  const isFromBrowser = headers['sec-fetch-site'] !== undefined || headers.origin !== undefined;
  return !isFromBrowser || isOwnOrigin({ method: 'POST', headers }, publicUrl);
}

/** The cookie belongs to the host that the browser called. So an origin with that host is the console's own, under any host name. */
function isOrigin(origin: string, host: string | undefined, publicUrl: string): boolean {
  return origin === new URL(publicUrl).origin || (URL.canParse(origin) && new URL(origin).host === host?.toLowerCase());
}
