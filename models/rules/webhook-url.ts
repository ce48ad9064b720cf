/** What a webhook URL must look like before anybody asks where it leads. */
import { isIP } from 'node:net';
import { isAllowedTarget, isInNetworks, isPublicAddress, type TargetPolicy } from './address.js';

const lengthMax = 2048;
/** Text of the interface. */
export const httpsText = 'Webhook URL must use HTTPS';

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
  if (!/^https:\/\/[^\s\\]+$/i.test(url) || !URL.canParse(url)) return 'Invalid webhook URL';
  const { username, password } = new URL(url);
  if (username !== '' || password !== '' || url.slice(8).split(/[/?#]/)[0]?.includes('@'))
    return 'Webhook URL must not contain credentials';
  if (url.includes('#')) return 'Webhook URL must not contain a fragment';
  const { host, port } = targetOf(url);
  return isIP(host) === 0 ? faultOfPort(port, policy) : faultOfTarget([host], port, policy);
}

/** The same for the addresses that the host stands for: one that may be reached is enough. */
export function faultOfTarget(addresses: readonly string[], port: number, policy: TargetPolicy): string | null {
  if (addresses.some((address) => isAllowedTarget(address, port, policy))) return null;
  const isPortAtFault = addresses.some((address) => isPublicAddress(address) || isInNetworks(address, policy.webhookAllowedNetworks));
  return isPortAtFault ? portText(policy) : 'Webhook URL must not point to a private address';
}

/** A name may stand for an allowed network, so that its high ports are judged when it has been resolved. */
function faultOfPort(port: number, policy: TargetPolicy): string | null {
  const mayBeHigh = policy.webhookAllowedNetworks.length > 0 && port >= 1024;
  return policy.webhookPorts.includes(port) || mayBeHigh ? null : portText(policy);
}

const portText = ({ webhookPorts }: TargetPolicy) => `Webhook URL must use port ${webhookPorts.join(' or ')}`;
