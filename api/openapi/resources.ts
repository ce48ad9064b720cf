/** The resources that paths name, with a sample id of each. */
import type { ResourceName } from '../../models/errors.js';
import type { Endpoint } from '../http/endpoint.js';
import { ids } from './samples/sample.js';

const resources: readonly [prefix: string, name: ResourceName, sampleId: string][] = [
  ['/api/v1/messages/bulk', 'Batch', ids.batch],
  ['/api/v1/messages', 'Message', ids.message],
  ['/api/v1/api-keys', 'API key', ids.key],
  ['/api/v1/auth/sessions', 'Session', ids.session],
  ['/api/v1/contacts', 'Contact', ids.contact],
  ['/api/v1/suppressions', 'Suppression', ids.suppression],
  ['/api/v1/webhooks', 'Webhook', ids.webhook],
  ['/api/v1/erasures', 'Erasure', ids.erasure],
];

const resourceOf = (path: string) => resources.find(([prefix]) => path.startsWith(prefix)) ?? [];

/** The resources of a path, which may not be found. */
export function resourcesOf({ path }: Pick<Endpoint, 'path'>): (ResourceName | undefined)[] {
  const [, name] = resourceOf(path);
  if (path.includes('/deliveries/:')) return [name, 'Delivery'];
  if (path.includes('/replays/:')) return [name, 'Replay'];
  return [name];
}

/** A sample value for a path parameter. */
export function pathSample(path: string, name: string): string {
  if (name === 'provider') return 'sandbox';
  if (name === 'token') return `${ids.message}.kP3x`;
  if (name === 'delivery_id') return ids.delivery;
  if (name === 'replay_id') return ids.replay;
  return resourceOf(path)[2] ?? ids.message;
}
