/** What a tool is. `tools.ts` derives the tools; it is loaded with the first message of a client, because that takes time. */
import type { Deps } from '../deps.js';
import { endpoints } from '../endpoints/index.js';
import type { Endpoint } from '../http/endpoint.js';
import type { Json } from '../http/schemas/json-schema.js';

/** A tool. The fields of the path, the query and the body of its endpoint are its arguments. */
export interface Tool {
  /** Such as `list_messages`. */
  name: string;
  endpoint: Endpoint<Deps>;
  description: string;
  /** JSON Schema of an object. */
  inputSchema: Json & { type: 'object' };
  annotations: { readOnlyHint: boolean; destructiveHint: boolean; idempotentHint: boolean; openWorldHint: boolean };
}

/** The endpoint with this id. @throws Error when there is none */
export const declared = (id: string): Endpoint<Deps> => {
  const found = endpoints.find((each) => each.id === id);
  if (found === undefined) throw new Error(`there is no operation ${id}`);
  return found;
};

export const send = declared('sendMessage');
export const preview = declared('previewMessages');

/** The names of the parameters in the path. */
export function paramsOf({ path }: Endpoint): string[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name);
}
