/** Opens a connection to Redis: that of the API, and that of `npm run doctor`. */
import { isIP } from 'node:net';
import { Redis, type RedisOptions } from 'ioredis';

/** @param url `redis://…`, or `rediss://…` for TLS */
export const openRedis = (url: string, options: Omit<RedisOptions, 'replyMapping'>): Redis => new Redis(url, { ...options, ...tlsOf(url) });

/** ioredis does not send the name of the host (SNI). A server with several certificates needs it to choose one. */
function tlsOf(url: string): { tls?: { servername?: string } } {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'rediss:') return {};
  const isAddress = isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0; // SNI has only names (RFC 6066)
  return { tls: isAddress ? {} : { servername: hostname } };
}
