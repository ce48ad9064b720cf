/** What a webhook URL must look like before anybody asks where it leads. */
import { isIP } from 'node:net';
import { isAllowedTarget, isInNetworks, isPublicAddress, type TargetPolicy } from './address.js';

const lengthMax = 2048;
/** Text of the interface. */
export const httpsText = 'Webhook URL must use HTTPS';
const invalidText = 'Invalid webhook URL';
export const privateText = 'Webhook URL must not point to a private address';
/** Longest name of the DNS (RFC 1035 §2.3.4). */
const nameLengthMax = 253;
const localName = /^[^.]*$|\.(?:local|localhost|internal)$/;

/** Host (without brackets) and port that a URL leads to. */
export function targetOf(url: string): { host: string; port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 443 : Number(port) };
}

/** What is wrong with the text of a webhook URL, as a sentence for its owner; null when nothing is. */
export function faultOfWebhookUrl(url: string, policy: TargetPolicy): string | null {
  if (!/^https:/i.test(url)) return httpsText;
  if (url.length > lengthMax) return `Webhook URL must be at most ${lengthMax} characters`;
  // The parser would repair white space, backslashes and missing slashes; what is stored is what was written.
  if (!/^https:\/\/[^\s\\]+$/i.test(url) || !URL.canParse(url)) return invalidText;
  const { username, password } = new URL(url);
  if (username !== '' || password !== '' || url.slice(8).split(/[/?#]/)[0]?.includes('@'))
    return 'Webhook URL must not contain credentials';
  if (url.includes('#')) return 'Webhook URL must not contain a fragment';
  const { host, port } = targetOf(url);
  return isIP(host) === 0 ? (faultOfName(host, policy) ?? faultOfPort(port, policy)) : faultOfTarget([host], port, policy);
}

/** The same for the addresses that the host stands for: one that must not be reached is too many. */
export function faultOfTarget(addresses: readonly string[], port: number, policy: TargetPolicy): string | null {
  const refused = addresses.filter((address) => !isAllowedTarget(address, port, policy));
  if (refused.length === 0) return null;
  const isPortAtFault = refused.every((address) => isPublicAddress(address) || isInNetworks(address, policy.webhookAllowedNetworks));
  return isPortAtFault ? portText(policy) : privateText;
}

/**
 * What is wrong with a host name. Names that mean something only on a network of one's own, such as single labels, are refused
 * unless the operator allows such a network: then their addresses decide.
 * @param name as the URL parser spells it
 */
export function faultOfName(name: string, { webhookAllowedNetworks }: Pick<TargetPolicy, 'webhookAllowedNetworks'>): string | null {
  const host = name.replace(/\.$/, '');
  if (host.length > nameLengthMax || host.endsWith('.onion')) return invalidText;
  return webhookAllowedNetworks.length === 0 && localName.test(host) ? privateText : null;
}

/** A name may stand for an allowed network, so that its high ports are judged when it has been resolved. */
function faultOfPort(port: number, policy: TargetPolicy): string | null {
  const mayBeHigh = policy.webhookAllowedNetworks.length > 0 && port >= 1024;
  return policy.webhookPorts.includes(port) || mayBeHigh ? null : portText(policy);
}

const portText = ({ webhookPorts }: TargetPolicy) => `Webhook URL must use port ${webhookPorts.join(' or ')}`;
