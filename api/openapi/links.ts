/** Links from a creation to the operations that take the id of the created resource. */
import type { Endpoint } from '../http/endpoint.js';
import type { Json } from '../http/schemas/json-schema.js';

/** For each creating operation: the JSON pointer to the id in `data`, and the path of the resource. */
const created: Record<string, readonly [pointer: string, path: string]> = {
  sendMessage: ['message/id', '/api/v1/messages/:id'],
  sendBulk: ['batch/id', '/api/v1/messages/bulk/:id'],
  createApiKey: ['id', '/api/v1/api-keys/:id'],
  createContact: ['contact/id', '/api/v1/contacts/:id'],
  createSuppression: ['suppression/id', '/api/v1/suppressions/:id'],
  createWebhook: ['webhook/id', '/api/v1/webhooks/:id'],
};

/** The `links` of a successful response, or nothing. */
export function linksOfSuccess({ id }: Endpoint, endpoints: readonly Endpoint[]): { links?: Json } {
  const [pointer, path] = created[id] ?? [];
  if (path === undefined) return {};
  const takesId = (item: Endpoint) => item.path === path || (item.path.startsWith(`${path}/`) && item.path.split(':').length === 2);
  const link = (item: Endpoint): Json => ({ operationId: item.id, parameters: { id: `$response.body#/data/${pointer}` } });
  return { links: Object.fromEntries(endpoints.filter(takesId).map((item) => [item.id, link(item)])) };
}
