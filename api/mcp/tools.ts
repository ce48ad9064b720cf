/** The tools, derived from the declarations of endpoints like the OpenAPI document. */
import type Joi from 'joi';
import type { Scope } from '../../models/rules/accounts/api-key.js';
import type { Deps } from '../deps.js';
import { hasScope } from '../http/caller.js';
import type { Endpoint } from '../http/endpoint.js';
import { type Json, jsonSchema } from '../http/schemas/json-schema.js';
import { withoutNull } from '../http/schemas/schema-components.js';
import { declared, paramsOf, preview, send, type Tool } from './tool.js';

const previewFirst =
  'Preview it first with preview_messages, show text, recipient and price to the user, and give the preview_token of that preview with the same fields. A repetition with the same preview_token sends nothing twice.';
const token: Json = { type: 'string', description: 'From preview_messages; valid for 10 minutes, for exactly these fields' };

export const tools: readonly Tool[] = [
  toolOf(preview, {
    description: 'Render and price one message without sending it. The response has the preview_token that send_message needs.',
    body: send.body,
  }),
  toolOf(send, { description: `Send one message. It costs credits. ${previewFirst}`, more: { preview_token: token } }),
  toolOf(declared('cancelMessage'), { isDestructive: true }),
  ...['getMessage', 'listMessages', 'getMessageTimeline', 'getBalance', 'listWebhooks', 'listDeliveries'].map((id) => toolOf(declared(id))),
  toolOf(declared('resendDelivery'), { description: 'Send a delivery of an event to its webhook again' }),
];

/** Whether a key with these scopes may call the tool. */
export const isOffered = ({ endpoint: { auth } }: Tool, scopes: readonly Scope[] | undefined): boolean =>
  typeof auth === 'object' && hasScope(scopes, auth.scope);

interface Differences {
  description?: string;
  /** Another body than that of the endpoint. */
  body?: Joi.Schema | undefined;
  /** Further required arguments. */
  more?: Record<string, Json>;
  /** It undoes something, and a second call has no further effect. */
  isDestructive?: boolean;
}

function toolOf(endpoint: Endpoint<Deps>, { description, body = endpoint.body, more = {}, isDestructive = false }: Differences = {}): Tool {
  const isRead = endpoint.method === 'get' || endpoint === preview;
  const isIdempotent = isRead || isDestructive || endpoint === send;
  const parts = [objectOf(endpoint.query), objectOf(body)];
  const required = [...paramsOf(endpoint), ...parts.flatMap((part) => part.required), ...Object.keys(more)];
  return {
    name: endpoint.id.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
    endpoint,
    description: description ?? endpoint.summary,
    inputSchema: {
      type: 'object',
      properties: {
        ...Object.fromEntries(paramsOf(endpoint).map((name) => [name, { type: 'string', format: 'uuid' }])),
        ...Object.assign({}, ...parts.map(({ properties }) => properties)),
        ...more,
      },
      ...(required.length === 0 ? {} : { required }),
    },
    annotations: { readOnlyHint: isRead, destructiveHint: isDestructive, idempotentHint: isIdempotent, openWorldHint: !isRead },
  };
}

/** The fields of a schema, without variants and null: assistants need plain objects, and the service checks the arguments anyway. */
function objectOf(schema: Joi.Schema | undefined): { properties: Record<string, Json>; required: string[] } {
  if (schema === undefined) return { properties: {}, required: [] };
  const { properties = {}, required = [] } = jsonSchema(schema, { isOpen: true, isFlat: true });
  const fields = Object.entries(properties as Record<string, Json>).map(([name, field]) => [name, withoutNull(field)]);
  return { properties: Object.fromEntries(fields), required: required as string[] };
}
