/** Unknown fields and query parameters. One that looks like a known field is refused; the others are ignored, see `ignored-fields.ts`. */
import type Joi from 'joi';
import { type Fault, unknownFieldText } from '../../../models/errors.js';
import { lookAlike } from '../../../models/rules/values/look-alike.js';

export interface UnknownFields {
  /** The paths of the ignored fields. */
  ignored: readonly string[];
  faults: readonly LookAlikeFault[];
}

/** The fault of a field that looks like a known one. */
interface LookAlikeFault {
  fault: Fault;
  /** The path of the known field. */
  meant: string;
}

/** The known fields of an object, with the shapes of their values; null for a free-form object and for any other value. */
interface Shape {
  fields: ReadonlyMap<string, Shape | null>;
  names: readonly string[];
}

/** How many unknown fields are checked. A body can contain a hundred thousand, and each is compared with all known ones. */
const lookedAtMax = 100;
const itemsMax = 100;
const none: UnknownFields = { ignored: [], faults: [] };

/** Finds the unknown fields of a value. A value without unknown fields costs one map look-up per field. */
export function unknownFields(schema: Joi.Schema, given: unknown): UnknownFields {
  const shape = shapeFor(schema);
  if (shape === null) return none;
  const found: Found = { ignored: [], faults: [] };
  look(shape, given, '', found);
  return found.ignored.length + found.faults.length === 0 ? none : found;
}

/**
 * The faults of a body in the order of the schema's keys. Adds the faults of unknown fields, each in the position of the field that it looks
 * like.
 */
export function mergeLookAlikes(schema: Joi.Schema, faults: readonly Fault[], unknown: readonly LookAlikeFault[]): Fault[] {
  if (faults.length + unknown.length === 0) return [];
  const place = placesIn(schema);
  const at = (path: string) => place(path) ?? Number.POSITIVE_INFINITY;
  return sorted([
    ...unknown.map(({ fault, meant }) => ({ fault, at: at(meant) })),
    ...faults.map((fault) => ({ fault, at: at(fault.field) })),
  ]);
}

/** Adds faults that were found later, each in the position of its field. */
export function mergeFaults(schema: Joi.Schema, faults: readonly Fault[], later: readonly Fault[]): Fault[] {
  const place = placesIn(schema);
  let last = 0;
  const placed = [...faults, ...later].map((fault) => {
    last = place(fault.field) ?? last; // an unknown field stays behind the fault before it
    return { fault, at: last };
  });
  return sorted(placed);
}

const sorted = (placed: { fault: Fault; at: number }[]): Fault[] =>
  placed.toSorted((one, other) => one.at - other.at).map(({ fault }) => fault);

/** @returns the position of the field at the beginning of a path; undefined if the schema has no such field */
function placesIn(schema: Joi.Schema): (path: string) => number | undefined {
  const places = new Map((shapeFor(schema)?.names ?? []).map((name, index) => [name, index]));
  return (path) => places.get(/^[^.[]*/.exec(path)?.[0] ?? '');
}

interface Found {
  ignored: string[];
  faults: LookAlikeFault[];
}

function look(shape: Shape, given: unknown, path: string, found: Found): void {
  if (typeof given !== 'object' || given === null) return;
  if (Array.isArray(given)) {
    if (given.length > itemsMax) return;
    for (const [index, item] of given.entries()) {
      // No field is a list of lists, and lists can be nested deeper than the call stack allows.
      if (!Array.isArray(item)) look(shape, item, `${path}[${index}]`, found);
    }
    return;
  }
  for (const [name, value] of Object.entries(given)) {
    const at = path === '' ? name : `${path}.${name}`;
    const inner = shape.fields.get(name);
    if (inner === undefined) note(shape, name, path, found);
    else if (inner !== null) look(inner, value, at, found);
  }
}

function note(shape: Shape, name: string, path: string, found: Found): void {
  if (found.ignored.length + found.faults.length >= lookedAtMax) return;
  const within = (key: string) => (path === '' ? key : `${path}.${key}`);
  const field = within(name);
  const known = lookAlike(name, shape.names);
  if (known === undefined) {
    found.ignored.push(field);
    return;
  }
  const meant = within(known);
  found.faults.push({ fault: { field, message: unknownFieldText(field, meant) }, meant });
}

const shapes = new WeakMap<Joi.Schema, Shape | null>();

function shapeFor(schema: Joi.Schema): Shape | null {
  const known = shapes.get(schema);
  if (known !== undefined) return known;
  const shape = shapeOf(schema.describe());
  shapes.set(schema, shape);
  return shape;
}

/** An object schema without keys is free-form. A list has the shape of its items. */
function shapeOf(description: Joi.Description): Shape | null {
  const { keys, items, whens } = description as Described;
  if (keys !== undefined) {
    const fields = new Map(Object.entries(keys).map(([name, key]) => [name, shapeOf(key)]));
    return { fields, names: [...fields.keys()] };
  }
  const [item] = items ?? (whens ?? []).flatMap(({ otherwise }) => otherwise?.items ?? []);
  return item === undefined ? null : shapeOf(item);
}

interface Described {
  keys?: Record<string, Joi.Description>;
  items?: Joi.Description[];
  whens?: { otherwise?: { items?: Joi.Description[] } }[];
}
