/** Networks that a key may be used from, in CIDR notation. */
import ipaddr from 'ipaddr.js';

/** The network as it is kept, of a single address that alone; null for what is neither. */
export function networkOf(text: string): string | null {
  if (text.includes('%')) return null; // a zone means something on one machine only
  if (text.includes('/')) return isCidr(text) ? text.toLowerCase() : null;
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return null;
  return `${text.toLowerCase()}/${text.includes(':') ? 128 : 32}`;
}

const isCidr = (text: string) => ipaddr.IPv4.isValidCIDRFourPartDecimal(text) || ipaddr.IPv6.isValidCIDR(text);

/** Whether an address is in one of the networks; IPv4 counts as itself also where it comes in IPv6's clothes. */
export function isInNetworks(address: string | undefined, networks: readonly string[]): boolean {
  if (address === undefined || !ipaddr.isValid(address)) return false;
  const client = ipaddr.process(address);
  return networks.some((network) => {
    const [base, bits] = ipaddr.parseCIDR(network);
    return base.kind() === client.kind() && client.match(base, bits);
  });
}
