/** The address of a client as people write it: IPv4 also where the socket speaks IPv6. */
export const plainAddress = (ip: string | undefined): string | undefined =>
  ip?.toLowerCase().startsWith('::ffff:') === true && ip.includes('.') ? ip.slice('::ffff:'.length) : ip;
