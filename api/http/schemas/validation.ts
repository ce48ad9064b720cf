/** Validates with Joi, and converts its faults to the error texts that the API documents. */
import Joi from 'joi';
import { type AppError, type Fault, missingFieldText } from '../../../models/errors.js';
import { codePoints, isStorable } from '../../../models/rules/values/text.js';
import { unknownFields, mergeLookAlikes } from './unknown-fields.js';

/** The validated value, or its faults. If there are faults, the value must not be used. */
export interface Checked<T> {
  value: T;
  faults: Fault[];
  /** Paths of the unknown fields that were dropped. */
  ignored?: readonly string[];
  /** Refuses a request without faults. */
  refusal?: AppError | undefined;
}

/**
 * Default texts for faults without a text of their own, so that clients never see texts of the library. Expressions are parsed once; strings
 * would be parsed at every check.
 */
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

/**
 * Validates a body. Faults are sorted in the order of the schema's keys, one per field. Unknown fields are dropped; one that looks like a known
 * field is a fault.
 * @param amend rewrites the fault of a known field
 */
export function check<T>(schema: Joi.ObjectSchema<T>, given: unknown, amend = (fault: Fault): Fault => fault): Checked<T> {
  const { value, error } = schema.validate(given, options);
  const worst = new Map<string, Joi.ValidationErrorItem>();
  for (const detail of error?.details ?? []) {
    const place = JSON.stringify(detail.path);
    const known = worst.get(place);
    if (known === undefined || rankOf(detail) < rankOf(known)) worst.set(place, detail);
  }
  const faults = new Map<string, Fault>();
  for (const fault of [...worst.values()].flatMap((detail) => faultsOf(schema, detail))) {
    if (!faults.has(fault.field)) faults.set(fault.field, amend(fault));
  }
  const unknown = unknownFields(schema, given);
  return { value: value as T, faults: mergeLookAlikes(schema, [...faults.values()], unknown.faults), ignored: unknown.ignored };
}

/** Validates a query string in the same way, and refuses parameters that are given twice. */
export function checkQuery<T>(schema: Joi.ObjectSchema<T>, given: object): Checked<T> {
  const entries = new Map(Object.entries(given));
  const isTwice = ({ field }: Fault) => Array.isArray(entries.get(field));
  return check(schema, { ...given }, (fault) => (isTwice(fault) ? { ...fault, message: `${fault.field} must be given once` } : fault));
}

/**
 * A custom rule. It returns the fault (`{field}` stands for the path), or null. `siblings` are the other fields of the same object, `around`
 * those of the object around it, and `root` those of the whole body; all may be invalid.
 */
export const rule =
  <T>(
    judge: (
      value: T,
      siblings: Record<string, unknown>,
      around: Record<string, unknown>,
      root: Record<string, unknown>,
    ) => string | Fault | null,
  ): Joi.CustomValidator<T> =>
  (value, helpers) => {
    const ancestors = helpers.state.ancestors as Record<string, unknown>[];
    const [siblings = {}, around = {}] = ancestors;
    const wrong = judge(value, siblings, around, ancestors.at(-1) ?? {});
    if (wrong === null) return value;
    return helpers.error('contract', typeof wrong === 'string' ? { text: wrong } : { text: wrong.message, field: wrong.field });
  };

/** A custom rule: the maximum length of a text in code points. */
export const atMostCharacters = (max: number) =>
  rule((value: string) => (codePoints(value) > max ? `{field} must be at most ${max} characters` : null));

/** A string that PostgreSQL can store. Null counts as absent. */
export const text = () =>
  Joi.string()
    .empty(null)
    .custom((value: string, helpers) => (isStorable(value) ? value : helpers.error('text.invalid')));

/** A required text. Empty and null count as absent. */
export const requiredText = () => text().empty(['', null]).required();

/** The most serious fault of a field wins: a wrong type, then invalid text, then everything else. */
function rankOf({ type }: Joi.ValidationErrorItem): number {
  if (type in typeTexts) return 0;
  return type === 'text.invalid' ? 1 : 2;
}

function faultsOf(schema: Joi.ObjectSchema, detail: Joi.ValidationErrorItem): Fault[] {
  const { type, context = {}, path } = detail;
  const field = typeof context.field === 'string' ? context.field : fieldOf(path);
  if (type === 'any.required' && path.some((part) => typeof part === 'number')) return [{ field, message: missingFieldText(field) }];
  if (type === 'any.required') return missing(path, schema.extract(path.map(String)).describe());
  if (type in typeTexts) return [{ field, message: `${field} must be ${typeTexts[type]}` }];
  if (type === 'text.invalid') return [{ field, message: `${field} must be valid text` }];
  if (type === 'contract') return [{ field, message: String(context.text).replace('{field}', field) }];
  // A list gets one fault for all its items, with the name of the list.
  if (type === 'any.only')
    return [{ field: fieldOf(typeof path.at(-1) === 'number' ? path.slice(0, -1) : path), message: enumText(path, context.valids) }];
  if (type === 'array.min') return [{ field, message: enumText(path, schema.extract(path.map(String)).describe().items?.[0]?.allow) }];
  return [{ field, message: detail.message }];
}

/** A missing object is reported as its missing required fields. */
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
  path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '');
