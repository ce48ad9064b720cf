/** Samples of every operation, by its id. */
import { accountSamples } from './accounts.js';
import { messageSamples } from './messages.js';
import { otherSamples } from './others.js';
import { ids, type Samples } from './sample.js';
import { webhookSamples } from './webhooks.js';
import { workspaceSamples } from './workspaces.js';

export const samples: Samples = { ...accountSamples, ...messageSamples, ...webhookSamples, ...workspaceSamples, ...otherSamples };

const resources: readonly [prefix: string, id: string][] = [
  ['/api/v1/messages/bulk', ids.batch],
  ['/api/v1/messages', ids.message],
  ['/api/v1/api-keys', ids.key],
  ['/api/v1/contacts', ids.contact],
  ['/api/v1/suppressions', ids.suppression],
  ['/api/v1/webhooks', ids.webhook],
  ['/api/v1/erasures', ids.erasure],
];

/** A sample value for a path parameter. */
export function pathSample(path: string, name: string): string {
  if (name === 'provider') return 'sandbox';
  if (name === 'token') return `${ids.message}.kP3x`;
  if (name === 'delivery_id') return ids.delivery;
  if (name === 'replay_id') return ids.replay;
  return resources.find(([prefix]) => path.startsWith(prefix))?.[1] ?? ids.message;
}
