/**
 * The addresses that a webhook may reach. Allow-list, not block-list: for IPv4 only plain unicast, for IPv6 only 2000::/3, both without the
 * special-purpose blocks of the IANA registries. Checked when a URL is saved and at every connect.
 */
import ipaddr from 'ipaddr.js';
import { contains, isAddressInNetworks, networks, parseAddress } from '../values/networks.js';

const specialV4 = networks(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.31.196.0/24 ' +
    '192.52.193.0/24 192.88.99.0/24 192.168.0.0/16 192.175.48.0/24 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
);
const unicastV6 = networks('2000::/3');
const specialV6 = networks('2001::/23 2001:db8::/32 2002::/16 2620:4f:8000::/48 3fff::/20');

/** The settings that decide about targets. */
export interface TargetPolicy {
  /** CIDR networks of the operator. */
  webhookAllowedNetworks: readonly string[];
  webhookPorts: readonly number[];
  /** host:port of the demo's own receiver. */
  demoReceiver: string | undefined;
}

/** True for an address of the public Internet; false for everything else, also for a text that is not an address. */
export function isPublicAddress(address: string): boolean {
  const parsed = parseAddress(address);
  if (parsed === null) return false;
  if (parsed instanceof ipaddr.IPv4) return !contains(specialV4, parsed);
  return contains(unicastV6, parsed) && !contains(specialV6, parsed);
}

/**
 * Whether a webhook may connect to this address and port: on the public Internet the permitted ports, in the operator's allowed networks
 * also any port from 1024 up, and the demo's own receiver.
 */
export function isAllowedTarget(address: string, port: number, policy: TargetPolicy): boolean {
  if (policy.demoReceiver === `${address}:${port}`) return true;
  const isPermittedPort = policy.webhookPorts.includes(port);
  if (isAddressInNetworks(address, policy.webhookAllowedNetworks)) return isPermittedPort || port >= 1024;
  return isPermittedPort && isPublicAddress(address);
}
