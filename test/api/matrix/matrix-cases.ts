/** What the matrices have in common: operations with good requests, taken from the declarations and the samples of the document. */
import { v7 as uuidv7 } from 'uuid';
import type { Endpoint } from '../../../api/http/endpoint.js';
import { endpoints } from '../../../api/endpoints/index.js';
import { type Json, jsonSchema } from '../../../api/http/schemas/json-schema.js';
import { statusesOf } from '../../../api/openapi/errors.js';
import { samples } from '../../../api/openapi/samples/index.js';
import { buildSession } from '../../support/rows/factories.js';
import type { Account, CallOptions, TestApp } from '../start-app.js';

/** Operations that take a body; the first sample of each is a good one. */
export const writing = endpoints.filter(({ body }) => body !== undefined);

/** Fields that only bodies with a list of recipients have. */
const ofBatches = ['rate', 'on_invalid', 'allow_duplicates', 'tag'];

/** A good body: the first sample that has, or may have, something at this place. `unique` keeps those apart that must not be the same twice. */
export function goodBody(item: Endpoint, unique = '', place: string[] = []): Record<string, unknown> {
  const bodies = Object.values(samples[item.id]?.requests ?? {});
  const isOfBatches = ofBatches.includes(place[0] ?? '');
  const body =
    bodies.find((each) => valueAt(each, place) !== undefined) ??
    bodies.find((each) => isOfBatches && 'recipients' in (each as object)) ??
    bodies[0] ??
    {};
  const copy = structuredClone(body) as Record<string, unknown>;
  if (item.id === 'signUp' || item.tag === 'contacts') copy.email = `x${unique || uuidv7()}@example.com`;
  if (item.tag === 'contacts') delete copy.phone;
  // Every test may send this: no server resolves the name.
  if (item.tag === 'webhooks' && 'url' in copy) copy.url = 'https://8.8.8.8/hooks';
  return copy;
}

/** What a value has at this place. */
export const valueAt = (value: unknown, place: string[]): unknown =>
  place.reduce<unknown>(
    (inner, name) => (typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined),
    value,
  );

/** Statuses that the document names for this operation; of 500 it says that it should not happen. */
export const documented = (item: Endpoint): number[] => [item.status ?? 200, ...statusesOf(item)].filter((status) => status !== 500);

/** The path with this id in every place for one. */
export const pathWith = (item: Endpoint, id: string): string => item.path.replaceAll(/:\w+/g, id);

/** What a caller with both credentials sends to this operation. */
export function credentialFor({ auth }: Endpoint, { key, jwt }: { key: string; jwt: string }): CallOptions {
  if (auth === 'jwt') return { jwt };
  return typeof auth === 'object' ? { key } : {};
}

/** Makes a resource of each kind through the API. @returns the id of one resource by the path of its list */
export async function makeResources(app: TestApp, account: Account): Promise<Record<string, string>> {
  // Only a login makes a session.
  const resourceIds: Record<string, string> = { '/api/v1/auth/sessions': (await buildSession(account.workspaceId)).id };
  for (const item of endpoints.filter(({ id }) =>
    ['sendMessage', 'sendBulk', 'createApiKey', 'createContact', 'createSuppression', 'createErasure', 'createWebhook'].includes(id),
  )) {
    const { body } = await app.call('POST', item.path, { ...credentialFor(item, account), body: goodBody(item) });
    const resource =
      body.data.message ??
      body.data.batch ??
      body.data.contact ??
      body.data.suppression ??
      body.data.erasure ??
      body.data.webhook ??
      body.data;
    resourceIds[item.path.replace(/\/send$/, '')] = resource.id;
  }
  return resourceIds;
}

/** The path of the list that an operation on one resource belongs to. */
export const listOf = ({ path }: Endpoint): string => path.slice(0, path.indexOf('/:'));

interface Field {
  path: string[];
  schema: Json;
}

/** What an object that may have any names has at one of them. */
const anyValue: Json = { type: ['string', 'object'] };

/** Fields of a schema, those inside of objects too, with one of any name where all names may be used, and the first item of lists. */
export function fieldsOf(schema: Json, path: string[] = []): Field[] {
  const { properties = {}, items, additionalProperties } = schema as Record<string, Json | undefined>;
  const [first = items] = (items?.oneOf ?? []) as Json[];
  const places = {
    ...(properties as Record<string, Json>),
    ...(first !== undefined && { 0: first }),
    ...((additionalProperties as unknown) === true && { a: anyValue }),
  };
  return Object.entries(places).flatMap(([name, inner]) => {
    const here = [...path, name];
    return [{ path: here, schema: inner }, ...fieldsOf(inner, here)];
  });
}

/** Fields of an operation's body, of all its variants. */
export function bodyFields(item: Endpoint): Field[] {
  const schema = item.body === undefined ? {} : jsonSchema(item.body, { isOpen: true });
  const fields = ((schema.oneOf ?? [schema]) as Json[]).flatMap((variant) => fieldsOf(variant));
  return [...new Map(fields.map((field) => [field.path.join('.'), field])).values()];
}

/** A preview answers 200 with what is wrong with its recipients. */
export const isPreviewed = ({ id }: Endpoint, [first]: string[]): boolean => id === 'previewMessages' && first === 'recipients';

/** Whether a field holds a text. */
export const isText = ({ schema }: Pick<Field, 'schema'>): boolean =>
  [schema.type].flat().includes('string') ||
  (schema.type === undefined && Array.isArray(schema.enum)) ||
  ((schema.anyOf ?? []) as Json[]).some((inner) => isText({ schema: inner }));

/** The body with one field replaced; a list of the place then has one item. */
export function placed(body: Record<string, unknown>, [name = '', ...rest]: string[], value: unknown): Record<string, unknown> {
  if (rest.length === 0) return { ...body, [name]: value };
  if (rest[0] !== '0') return { ...body, [name]: placed((body[name] ?? {}) as Record<string, unknown>, rest, value) };
  const [first = {}] = (body[name] ?? []) as unknown[];
  return { ...body, [name]: [placed({ 0: first }, rest, value)[0]] };
}
