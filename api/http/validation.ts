/** Joi finds the faults, this file puts them into the contract's words (decisions §1). */
import Joi from 'joi';
import { type Fault, missingFieldText } from '../../models/errors.js';
import { isStorable } from '../../models/rules/values/text.js';
import { unknownFields, withUnknown } from './unknown-fields.js';

/** Values that passed, or what is wrong with them; exactly one of the two means anything. */
export interface Checked<T> {
  value: T;
  faults: Fault[];
  /** Paths of the unknown fields that were dropped. */
  ignored?: readonly string[];
}

/** For what no schema and no case below puts into words of its own: a text of ours, never the library's. Strings would be parsed at every check. */
const messages = { 'string.empty': Joi.expression('{#label} must not be empty'), '*': Joi.expression('Invalid {#label}') };
const options: Joi.ValidationOptions = {
  abortEarly: false,
  convert: false,
  stripUnknown: true,
  messages,
  errors: { wrap: { label: false } },
};
const typeTexts: Record<string, string> = {
  'string.base': 'a string',
  'number.base': 'a number',
  'number.infinity': 'a number',
  'boolean.base': 'a boolean',
  'object.base': 'an object',
  'array.base': 'an array',
};

/** Checks a body. Faults come in the order of the schema's keys, one a field; unknown fields are dropped, or faults where they look like known ones. */
export function check<T>(schema: Joi.ObjectSchema<T>, given: unknown): Checked<T> {
  const { value, error } = schema.validate(given, options);
  const worst = new Map<string, Joi.ValidationErrorItem>();
  for (const detail of error?.details ?? []) {
    const place = JSON.stringify(detail.path);
    const known = worst.get(place);
    if (known === undefined || rankOf(detail) < rankOf(known)) worst.set(place, detail);
  }
  const faults = new Map<string, Fault>();
  for (const fault of [...worst.values()].flatMap((detail) => faultsOf(schema, detail))) {
    if (!faults.has(fault.field)) faults.set(fault.field, fault);
  }
  const unknown = unknownFields(schema, given);
  return { value: value as T, faults: withUnknown(schema, [...faults.values()], unknown.faults), ignored: unknown.ignored };
}

/** Checks a query string: the same, and no parameter may come twice. */
export function checkQuery<T>(schema: Joi.ObjectSchema<T>, given: object): Checked<T> {
  const { value, faults, ...others } = check(schema, { ...given });
  const entries = new Map(Object.entries(given));
  return {
    ...others,
    value,
    faults: faults.map((fault) =>
      Array.isArray(entries.get(fault.field)) ? { ...fault, message: `${fault.field} must be given once` } : fault,
    ),
  };
}

/**
 * A rule of our own: returns what is wrong (`{field}` stands for the path), or null. `siblings` are the fields beside the
 * value, `around` those around them, both unchecked.
 */
export const rule =
  <T>(
    judge: (value: T, siblings: Record<string, unknown>, around: Record<string, unknown>) => string | Fault | null,
  ): Joi.CustomValidator<T> =>
  (value, helpers) => {
    const [siblings, around] = helpers.state.ancestors as [Record<string, unknown>?, Record<string, unknown>?];
    const wrong = judge(value, siblings ?? {}, around ?? {});
    if (wrong === null) return value;
    return helpers.error('contract', typeof wrong === 'string' ? { text: wrong } : { text: wrong.message, field: wrong.field });
  };

/** A string that PostgreSQL can store. Null counts as absent. */
export const text = () =>
  Joi.string()
    .empty(null)
    .custom((value: string, helpers) => (isStorable(value) ? value : helpers.error('text.invalid')));

/** A text that must be there: empty and null count as absent. */
export const requiredText = () => text().empty(['', null]).required();

/** What is worse hides what is less bad: a wrong type before broken text before everything else. */
const rankOf = ({ type }: Joi.ValidationErrorItem) => (type in typeTexts ? 0 : type === 'text.invalid' ? 1 : 2);

function faultsOf(schema: Joi.ObjectSchema, detail: Joi.ValidationErrorItem): Fault[] {
  const { type, context = {}, path } = detail;
  const field = typeof context.field === 'string' ? context.field : fieldOf(path);
  if (type === 'any.required' && path.some((part) => typeof part === 'number')) return [{ field, message: missingFieldText(field) }];
  if (type === 'any.required') return missing(path, schema.extract(path.map(String)).describe());
  if (type in typeTexts) return [{ field, message: `${field} must be ${typeTexts[type]}` }];
  if (type === 'text.invalid') return [{ field, message: `${field} must be valid text` }];
  if (type === 'contract') return [{ field, message: String(context.text).replace('{field}', field) }];
  // One fault for a whole list: the enum's name is the list's.
  if (type === 'any.only')
    return [{ field: fieldOf(typeof path.at(-1) === 'number' ? path.slice(0, -1) : path), message: enumText(path, context.valids) }];
  if (type === 'array.min') return [{ field, message: enumText(path, schema.extract(path.map(String)).describe().items?.[0]?.allow) }];
  return [{ field, message: detail.message }];
}

/** An absent object is missing through each required field in it. */
function missing(path: Joi.ValidationErrorItem['path'], description: Joi.Description): Fault[] {
  const keys = Object.entries((description.keys ?? {}) as Record<string, Joi.Description>);
  const required = keys.filter(([, key]) => isRequired(key));
  if (required.length > 0) return required.flatMap(([name, key]) => missing([...path, name], key));
  return [{ field: fieldOf(path), message: missingFieldText(fieldOf(path)) }];
}

const isRequired = ({ flags }: Joi.Description) => (flags as { presence?: string } | undefined)?.presence === 'required';

function enumText(path: Joi.ValidationErrorItem['path'], valids: unknown): string {
  const names = path.filter((part) => typeof part === 'string');
  const values = (Array.isArray(valids) ? valids : []).filter((value) => typeof value === 'string');
  return `Invalid ${names.at(-1)}. Must be one of: ${values.join(', ')}`;
}

/** `recipients[3].to` */
const fieldOf = (path: Joi.ValidationErrorItem['path']) =>
  path.map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`)).join('');
