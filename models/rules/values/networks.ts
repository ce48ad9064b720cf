/** IP addresses, and networks in CIDR notation. */
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Network = [Address, number];

/** Each list of a program or of its settings is parsed once. */
const read = new Map<string, Network[]>();

/** Whether the address is in one of these CIDR networks. */
export function isAddressInNetworks(address: string, cidrs: readonly string[]): boolean {
  const parsed = parseAddress(address);
  return parsed !== null && contains(networks(cidrs.join(' ')), parsed);
}

/** Strict forms only: `127.1`, `0x7f.1` and zone ids are not addresses. An IPv4-mapped IPv6 address counts as the IPv4 address. */
export function parseAddress(address: string): Address | null {
  if (ipaddr.IPv4.isValidFourPartDecimal(address)) return ipaddr.IPv4.parse(address);
  if (!ipaddr.IPv6.isValid(address) || address.includes('%')) return null;
  const parsed = ipaddr.IPv6.parse(address);
  return parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed;
}

/** The networks of a list, separated by spaces. */
export function networks(list: string): readonly Network[] {
  let known = read.get(list);
  if (known === undefined) {
    known = list
      .split(' ')
      .filter((cidr) => cidr !== '')
      .map((cidr) => ipaddr.parseCIDR(cidr));
    read.set(list, known);
  }
  return known;
}

/** Whether one of the networks contains the address. */
export function contains(list: readonly Network[], address: Address): boolean {
  return list.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits));
}

/** The stored form of a network from which a key may be used, or of a single address; null for any other text. */
export function networkOf(text: string): string | null {
  if (text.includes('%')) return null; // a zone has a meaning on one machine only
  if (text.includes('/')) return isCidr(text) ? text.toLowerCase() : null;
  if (!ipaddr.IPv4.isValidFourPartDecimal(text) && !ipaddr.IPv6.isValid(text)) return null;
  return `${text.toLowerCase()}/${text.includes(':') ? 128 : 32}`;
}

const isCidr = (text: string) => ipaddr.IPv4.isValidCIDRFourPartDecimal(text) || ipaddr.IPv6.isValidCIDR(text);

/** Whether a client may use a key from these networks. An IPv4-mapped IPv6 address or network counts as that of IPv4. */
export function isClientInNetworks(address: string | undefined, cidrs: readonly string[]): boolean {
  if (address === undefined || !ipaddr.isValid(address)) return false;
  return contains(cidrs.map(plainNetwork), ipaddr.process(address));
}

/** Clients are compared in the same form. */
function plainNetwork(cidr: string): Network {
  const [base, bits] = ipaddr.parseCIDR(cidr);
  const isMapped = base instanceof ipaddr.IPv6 && base.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [base.toIPv4Address(), bits - 96] : [base, bits];
}
