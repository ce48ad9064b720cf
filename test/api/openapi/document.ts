/** The OpenAPI document as its readers see it. */
import { endpoints } from '../../../api/endpoints/index.js';
import { openapi } from '../../../api/openapi/openapi.js';

export interface Content {
  content?: Record<string, { schema: object; example?: unknown; examples?: Record<string, { value: unknown }> }>;
}
interface Link {
  operationId: string;
  parameters: Record<string, string>;
}
interface Operation {
  operationId: string;
  summary: string;
  description: string;
  requestBody?: Content;
  tags: string[];
  parameters: {
    name: string;
    in: string;
    description?: string;
    schema: { type?: string; format?: string; pattern?: string };
    example?: unknown;
  }[];
  responses: Record<string, Content & { description: string; headers?: object; links?: Record<string, Link> }>;
}
interface Document {
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { $ref: string }>;
  components: { schemas: Record<string, Schema>; pathItems: Record<string, { post: Operation }> };
  servers: { url: string }[];
  tags: { name: string }[];
}
interface Schema {
  type?: string | string[];
  enum?: string[];
  description?: string;
  properties?: Record<string, Schema | undefined>;
}

export const document = JSON.parse(JSON.stringify(openapi(endpoints))) as Document;
export const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
export const { components } = document;
