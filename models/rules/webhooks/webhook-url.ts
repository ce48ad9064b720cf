/** The checks of a webhook URL before its host name is resolved. */
import { isIP } from 'node:net';
import { isAddressInNetworks } from '../values/networks.js';
import { isAllowedTarget, isPublicAddress, type TargetPolicy } from './address.js';

const lengthMax = 2048;
/** A text of the contract. */
export const httpsText = 'Webhook URL must use HTTPS';
const invalidText = 'Invalid webhook URL';
export const privateText = 'Webhook URL must not point to a private address';
/** The maximum length of a DNS name (RFC 1035 §2.3.4). */
const nameLengthMax = 253;
const localName = /^[^.]*$|\.(?:local|localhost|internal)$/;

/** The host (without brackets) and port of a URL. */
export function targetOf({ hostname, port }: URL): { host: string; port: number } {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 443 : Number(port) };
}

/** The fault of a webhook URL, as a sentence for its owner; null if there is none. */
export function faultOfWebhookUrl(url: string, policy: TargetPolicy): string | null {
  if (!/^https:/i.test(url)) return httpsText;
  if (url.length > lengthMax) return `Webhook URL must be at most ${lengthMax} characters`;
  // The parser would correct white space, backslashes and missing slashes, but the URL is stored as it was written.
  if (!/^https:\/\/[^\s\\]+$/i.test(url) || !URL.canParse(url)) return invalidText;
  const parsed = new URL(url);
  const { username, password } = parsed;
  if (username !== '' || password !== '' || url.slice(8).split(/[/?#]/)[0]?.includes('@'))
    return 'Webhook URL must not contain credentials';
  if (url.includes('#')) return 'Webhook URL must not contain a fragment';
  const { host, port } = targetOf(parsed);
  return isIP(host) === 0 ? (faultOfName(host, policy) ?? faultOfPort(port, policy)) : faultOfTarget([host], port, policy);
}

/** The same for the addresses of the host. One forbidden address is enough. */
export function faultOfTarget(addresses: readonly string[], port: number, policy: TargetPolicy): string | null {
  const refused = addresses.filter((address) => !isAllowedTarget(address, port, policy));
  if (refused.length === 0) return null;
  const isPortAtFault = refused.every((address) => isPublicAddress(address) || isAddressInNetworks(address, policy.webhookAllowedNetworks));
  return isPortAtFault ? portText(policy) : privateText;
}

/**
 * The fault of a host name. A name that has a meaning only inside a private network, such as a single label, is refused unless the operator
 * permits such a network. Then its addresses decide.
 * @param name as the URL parser writes it
 */
export function faultOfName(name: string, { webhookAllowedNetworks }: Pick<TargetPolicy, 'webhookAllowedNetworks'>): string | null {
  const host = name.replace(/\.$/, '');
  if (host.length > nameLengthMax || host.endsWith('.onion')) return invalidText;
  return webhookAllowedNetworks.length === 0 && localName.test(host) ? privateText : null;
}

/** A name may belong to an allowed network, so that a high port is checked after the name is resolved. */
function faultOfPort(port: number, policy: TargetPolicy): string | null {
  const mayBeHigh = policy.webhookAllowedNetworks.length > 0 && port >= 1024;
  return policy.webhookPorts.includes(port) || mayBeHigh ? null : portText(policy);
}

const portText = ({ webhookPorts }: TargetPolicy) => `Webhook URL must use port ${webhookPorts.join(' or ')}`;
