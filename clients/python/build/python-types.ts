/** Types of Python for the schemas of the OpenAPI document that the client needs. */
import { isClientPath, reachable } from '../../typescript/build/reduce-document.js';
import type { Json } from '../../../api/http/schemas/json-schema.js';
import { classOf, typeOf } from './python-syntax.js';

interface Operation {
  operationId: string;
  parameters?: { name: string; in: string; description?: string; schema: Json }[];
  requestBody?: { content: { 'application/json': { schema: Json } } };
  responses: Record<string, { content?: { 'application/json'?: { schema: Json } } }>;
}

interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; pathItems: Record<string, { post: Operation }> };
}

/** The module `tidings_client/types.py`. @param document the OpenAPI document */
export function pythonTypes(document: Json): string {
  const { paths, components } = document as unknown as Document;
  const schemas = withAnyChannel(components.schemas);
  const operations = Object.entries(paths)
    .filter(([path]) => isClientPath(path))
    .flatMap(([, methods]) => Object.values(methods));
  const requests = operations.flatMap(bodyOf);
  const answers = [
    ...operations.flatMap(({ responses }) => Object.values(responses).flatMap((response) => dataOf(response, schemas))),
    ...Object.values(components.pathItems).flatMap(({ post }) => bodyOf(post)),
  ];
  const given = reachable(schemas, JSON.stringify(requests));
  const shown = Object.entries(reachable(schemas, JSON.stringify([...requests, ...answers])));
  const [classes, aliases] = [true, false].map((isClass) => shown.filter(([, schema]) => 'properties' in schema === isClass));
  const texts = [
    ...inOrder(aliases ?? []).map(([name, schema]) => `${name} = ${typeOf(schema, { isGiven: name in given, isQuoted: true })}`),
    ...(classes ?? []).map(([name, schema]) => classOf(name, schema, name in given)),
    ...operations.flatMap(queryOf),
  ];
  return `${head}\n\n${texts.join('\n\n')}\n`;
}

const head = `"""Types of requests and answers. Generated from the OpenAPI document by \`npm run generate\`: do not edit it."""

from __future__ import annotations

from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from typing_extensions import Literal, NotRequired, TypedDict`;

/**
 * With one more shape of a message, for a `channel` that is known only at run time: each shape of the document has fixed channels, so a type
 * checker would accept none.
 */
function withAnyChannel(schemas: Record<string, Json>): Record<string, Json> {
  const { SendToEmailAddress: email, SendMessageRequest: send, PreviewMessagesRequest: preview } = schemas;
  if (email === undefined || send === undefined || preview === undefined) throw new Error('the schemas of a send have other names');
  const properties = {
    ...(email.properties as Record<string, Json>),
    to: { type: 'string', description: 'Phone number in E.164 format, or e-mail address' },
    channel: { $ref: '#/components/schemas/Channel' },
  };
  const widened = (schema: Json): Json => ({
    ...schema,
    oneOf: [...(schema.oneOf as Json[]), { $ref: '#/components/schemas/SendToAnyChannel' }],
  });
  return {
    ...schemas,
    SendToAnyChannel: { ...email, properties },
    SendMessageRequest: widened(send),
    PreviewMessagesRequest: widened(preview),
  };
}

const bodyOf = ({ requestBody }: Operation): Json[] => (requestBody === undefined ? [] : [requestBody.content['application/json'].schema]);

/** The schema of \`data\` in an answer: the client takes it out of the envelope. */
function dataOf({ content }: Operation['responses'][string], schemas: Record<string, Json>): Json[] {
  const ref = content?.['application/json']?.schema.$ref;
  const envelope = typeof ref === 'string' ? schemas[nameIn(ref)] : undefined;
  const { data } = (envelope?.properties ?? {}) as Record<string, Json>;
  return data === undefined ? [] : [data];
}

const nameIn = (ref: string) => ref.split('/').at(-1) ?? '';

/** Those that name others come after them. */
function inOrder(aliases: readonly (readonly [string, Json])[]): (readonly [string, Json])[] {
  const names = new Set(aliases.map(([name]) => name));
  const placed = new Set<string>();
  const ordered: (readonly [string, Json])[] = [];
  const place = ([name, schema]: readonly [string, Json]) => {
    if (placed.has(name)) return;
    placed.add(name);
    for (const other of Object.entries(reachable(Object.fromEntries(aliases), JSON.stringify(schema))))
      if (names.has(other[0])) place(other);
    ordered.push([name, schema]);
  };
  for (const alias of aliases) place(alias);
  return ordered;
}

/** The filters of a list, as keyword arguments. The client walks by cursor, so that a position is not part of them. */
function queryOf({ operationId, parameters = [] }: Operation): string[] {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  if (!inQuery.some(({ name }) => name === 'cursor')) return [];
  const filters = inQuery.filter(({ name }) => name !== 'cursor' && name !== 'page');
  const properties = Object.fromEntries(
    filters.map(({ name, description, schema }) => [name, description === undefined ? schema : { ...schema, description }]),
  );
  return [classOf(`${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`, { properties }, true)];
}
