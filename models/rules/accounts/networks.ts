/** Networks from which a key may be used, in CIDR notation. */
import ipaddr from 'ipaddr.js';

/** The stored form of a network, or of a single address; null for any other text. */
export function networkOf(text: string): string | null {
  if (text.includes('%')) return null; // a zone has a meaning on one machine only
  if (text.includes('/')) return isCidr(text) ? text.toLowerCase() : null;
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return null;
  return `${text.toLowerCase()}/${text.includes(':') ? 128 : 32}`;
}

const isCidr = (text: string) => ipaddr.IPv4.isValidCIDRFourPartDecimal(text) || ipaddr.IPv6.isValidCIDR(text);

/** Whether an address is in one of the networks. An IPv4-mapped IPv6 address or network counts as that of IPv4. */
export function isClientInNetworks(address: string | undefined, networks: readonly string[]): boolean {
  if (address === undefined || !ipaddr.isValid(address)) return false;
  const client = ipaddr.process(address);
  return networks.some((network) => {
    const [base, bits] = plainNetwork(ipaddr.parseCIDR(network));
    return base.kind() === client.kind() && client.match(base, bits);
  });
}

/** Clients are compared in the same form. */
function plainNetwork([base, bits]: [ipaddr.IPv4 | ipaddr.IPv6, number]): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  const isMapped = base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [base.toIPv4Address(), bits - 96] : [base, bits];
}
