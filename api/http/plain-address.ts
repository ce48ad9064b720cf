/** The client address in its usual form: an IPv4 address that arrives over an IPv6 socket is written as IPv4. */
export const plainAddress = (ip: string | undefined): string | undefined =>
  ip?.toLowerCase().startsWith('::ffff:') === true && ip.includes('.') ? ip.slice('::ffff:'.length) : ip;
