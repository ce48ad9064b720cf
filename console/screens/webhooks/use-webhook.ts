import { useRoute } from 'preact-iso';
import { call, type Schema } from '../../api/call.js';
import { type Loaded, useLoad } from '../../state/load.js';

/** Loads the webhook whose id is in the address of the screen. */
export function useWebhook(): Loaded<Schema<'Webhook'>> {
  const { id = '' } = useRoute().params;
  return useLoad(id, async (signal) => (await call('get', '/api/v1/webhooks/{id}', { params: { id }, signal })).webhook);
}

/** The host of its URL, which tells it from the workspace's other webhooks. */
export const hostOf = (webhook: Schema<'Webhook'> | undefined): string => (webhook === undefined ? '' : new URL(webhook.url).host);
