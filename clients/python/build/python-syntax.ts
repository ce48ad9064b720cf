/** Writes a JSON Schema of the OpenAPI document as a type of Python. */
import type { Json } from '../../../api/http/schemas/json-schema.js';

interface TypePlace {
  /** Callers give it: any sequence and any mapping will do. In answers they are lists and dicts. */
  isGiven: boolean;
  /** Python evaluates the text at once: names may be defined further below, so that they are quoted. */
  isQuoted?: boolean;
}

/** A TypedDict. @throws Error for a kind of schema that is not supported yet */
export function classOf(name: string, schema: Json, isGiven: boolean): string {
  const required = (schema.required ?? []) as string[];
  const fields = Object.entries(schema.properties as Record<string, Json>).map(([key, property]) => {
    const type = typeIn(`${name}.${key}`, property, isGiven);
    return { key, type: required.includes(key) ? type : `NotRequired[${type}]`, about: property.description };
  });
  if (fields.some(({ key }) => keywords.has(key))) return functional(name, fields);
  const lines = fields.flatMap(({ key, type, about }) => [
    `    ${key}: ${type}`,
    ...(typeof about === 'string' ? [`    """${escaped(about)}"""`] : []),
  ]);
  return [`\nclass ${name}(TypedDict):`, ...(lines.length === 0 ? ['    pass'] : lines)].join('\n');
}

/** The type of a field. @throws Error with the name of the field */
function typeIn(field: string, schema: Json, isGiven: boolean): string {
  try {
    return typeOf(schema, { isGiven });
  } catch (error) {
    throw new Error(`${field}: ${(error as Error).message}`, { cause: error });
  }
}

/** The form for keys that are words of Python. */
function functional(name: string, fields: readonly { key: string; type: string }[]): string {
  const entries = fields.map(({ key, type }) => `        "${key}": "${type.replaceAll('"', "'")}",`);
  return [`\n${name} = TypedDict(`, `    "${name}",`, '    {', ...entries, '    },', ')'].join('\n');
}

const keywords = new Set([
  'from',
  'class',
  'import',
  'in',
  'is',
  'not',
  'or',
  'and',
  'pass',
  'return',
  'global',
  'with',
  'as',
  'if',
  'for',
]);
const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"""', "'''");
const simple: Readonly<Record<string, string>> = { string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' };

/** The type of a value. @throws Error for a kind of schema that is not supported yet */
export function typeOf(schema: Json, place: TypePlace): string {
  const { $ref, const: only, enum: values, anyOf, oneOf, type } = schema;
  if (typeof $ref === 'string') return quoted($ref.split('/').at(-1) ?? '', place);
  if (only !== undefined) return `Literal[${JSON.stringify(only)}]`;
  if (Array.isArray(values)) return literals(values);
  const choices = anyOf ?? oneOf;
  if (Array.isArray(choices)) return union((choices as Json[]).map((choice) => typeOf(choice, place)));
  if (Array.isArray(type)) return union((type as string[]).map((one) => typeOf({ ...schema, type: one }, place)));
  if (type === 'array') return `${place.isGiven ? 'Sequence' : 'List'}[${typeOf((schema.items ?? {}) as Json, place)}]`;
  if (type === 'object') return mapping(schema, place);
  if (type === undefined) return 'Any';
  const known = typeof type === 'string' ? simple[type] : undefined;
  if (known === undefined) throw new Error(`no type of Python for ${JSON.stringify(schema)}`);
  return known;
}

const quoted = (name: string, { isQuoted }: TypePlace) => (isQuoted === true ? `"${name}"` : name);

function literals(values: readonly unknown[]): string {
  const others = values.filter((value) => value !== null);
  const literal = `Literal[${others.map((value) => JSON.stringify(value)).join(', ')}]`;
  return others.length === values.length ? literal : `Optional[${literal}]`;
}

function union(types: readonly string[]): string {
  const others = [...new Set(types)].filter((type) => type !== 'None');
  const one = others.length === 1 ? (others[0] ?? '') : `Union[${others.join(', ')}]`;
  return types.includes('None') ? `Optional[${one}]` : one;
}

function mapping({ properties, additionalProperties }: Json, place: TypePlace): string {
  if (properties !== undefined)
    throw new Error('an object needs a name of its own: declare its schema with `named` (in a schema written by hand: `refer`)');
  const values =
    typeof additionalProperties === 'object' && additionalProperties !== null ? typeOf(additionalProperties as Json, place) : 'Any';
  return `${place.isGiven ? 'Mapping' : 'Dict'}[str, ${values}]`;
}
