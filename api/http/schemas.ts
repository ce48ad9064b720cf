/** Pieces of schemas that several endpoints share. `meta` holds what the OpenAPI document says and Joi cannot. */
import Joi from 'joi';
import { isCommonPassword } from '../../models/rules/accounts/common-passwords.js';
import { isCountry } from '../../models/rules/values/country.js';
import { isEmail } from '../../models/rules/values/email.js';
import { isPhone } from '../../models/rules/values/phone.js';
import { faultTexts } from '../../models/errors.js';
import { emailText, phoneText } from '../../models/rules/messages/recipient.js';
import { isUuid } from '../../models/rules/values/text.js';
import { readTimestamp } from '../../models/rules/values/timestamp.js';
import { jsonSchema } from './json-schema.js';
import { requiredText, rule, text } from './validation.js';

const dateText = faultTexts.date;

/** E.164 for the document; the rule itself is `isPhone`. */
export const phoneSchema = { type: 'string', pattern: '^\\+[1-9][0-9]{1,14}$', minLength: 3, maxLength: 16 };

export const phone = () => textThat(isPhone, phoneText).meta({ pattern: phoneSchema.pattern });
export const email = () =>
  requiredText()
    .custom(rule((value: string) => (isEmail(value) ? null : emailText)))
    .meta({ format: 'email', maxLength: 254 });
export const country = () => textThat(isCountry, 'Invalid country. Must be an ISO 3166 two-letter code').meta({ pattern: '^[A-Z]{2}$' });

/** An optional text with a check of its own, which an empty text does not pass. */
export const textThat = (passes: (value: string) => boolean, wrong: string) =>
  text()
    .custom(rule((value: string) => (passes(value) ? null : wrong)))
    .messages({ 'string.empty': wrong });

/** 8 to 128 characters, a surrogate pair being one, and none of the commonest passwords. */
export const newPassword = () =>
  requiredText()
    .custom(rule((value: string) => ([...value].length < 8 ? 'Password must be at least 8 characters' : null)))
    .custom(rule((value: string) => (value.length > 256 || [...value].length > 128 ? 'Password must be at most 128 characters' : null)))
    .custom(rule((value: string) => (isCommonPassword(value) ? 'Password is too common' : null)))
    .meta({ minLength: 8, maxLength: 128 });

/** A name for people: trimmed, not blank. Its length is that of what was sent. */
export const name = (lengthMax = 255) =>
  requiredText()
    .custom(rule((value: string) => ([...value].length > lengthMax ? `{field} must be at most ${lengthMax} characters` : null)))
    .custom((value: string, helpers) => (value.trim() === '' ? helpers.error('any.required') : value.trim()))
    .meta({ maxLength: lengthMax, pattern: '\\S' });

/** Names that a list from a fixed set may have, repetitions included. */
const namesMax = 100;

/** A list of names from a fixed set, each once; `[]` is refused. */
export const oneOrMoreOf = <T extends string>(values: readonly T[]) =>
  fewOf(namesMax, Joi.string().valid(...values), (list: T[], helpers) => {
    if (list.length > namesMax) return helpers.error('contract', { text: `{field} must have at most ${namesMax} items` });
    return list.length === 0 ? helpers.error('any.only', { valids: values }) : [...new Set(list)];
  }).meta({ minItems: 1 });

/**
 * A list of a few items at most. The items of one that is longer are not looked at: faults by the hundred thousand would hold up
 * other requests.
 * @param whole judges the list, its length too
 */
export const fewOf = (most: number, item: Joi.Schema, whole: Joi.CustomValidator) =>
  Joi.array()
    .empty(null)
    .custom((list: unknown[], helpers) => (list.length > most ? whole(list, helpers) : list))
    .when(
      Joi.array()
        .min(most + 1)
        .required(),
      { otherwise: Joi.array().items(item).custom(whole) },
    )
    .meta({ type: 'array', items: jsonSchema(item, { isOpen: true }), maxItems: most });

/** One or several of a fixed set in a query, separated by commas. */
export const listOf = <T extends string>(values: readonly T[]) =>
  text()
    .messages({ 'string.empty': `Invalid {#label}. Must be one of: ${values.join(', ')}` })
    .custom((value: string, helpers) => {
      const given = [...new Set(value.split(','))];
      return given.every((one) => (values as readonly string[]).includes(one)) ? given : helpers.error('any.only', { valids: values });
    })
    .meta({ pattern: `^(${values.join('|')})(,(${values.join('|')}))*$`, examples: [values[0]] }) as unknown as Joi.Schema<T[]>;

/** A moment with its zone, as a Date. */
export const moment = () =>
  text()
    .messages({ 'string.empty': dateText })
    .custom((value: string, helpers) => {
      const timestamp = readTimestamp(value);
      return timestamp === null || !timestamp.hasZone ? helpers.error('contract', { text: dateText }) : timestamp.at;
    })
    .meta({ format: 'date-time' }) as unknown as Joi.Schema<Date>;

/** A bound of a period in a query, as a Date: a bare day means its first or its last millisecond, UTC. */
export const bound = (end: 'first' | 'last') =>
  text()
    .messages({ 'string.empty': dateText })
    .custom((value: string, helpers) => {
      // The plus sign of a zone that was not encoded arrives as a space, and no timestamp has one.
      const timestamp = readTimestamp(value.replace(' ', '+'));
      if (timestamp === null) return helpers.error('contract', { text: dateText });
      return timestamp.isDay && end === 'last' ? new Date(timestamp.at.getTime() + 86_399_999) : timestamp.at;
    })
    .meta({ format: 'date-time' }) as unknown as Joi.Schema<Date>;

/** The id of something in a query; in a path a malformed id is simply not found. */
export const uuid = (field: string) => textThat(isUuid, `${field} must be a UUID`).meta({ format: 'uuid' });

export interface Page {
  page: number;
  limit: number;
}

/** `page` and `limit` of every list. */
export const pageQuery = {
  page: integer({ minimum: 1, maximum: 999_999_999_999_999, default: 1 }, faultTexts.page),
  limit: integer({ minimum: 1, maximum: 100, default: 50 }, faultTexts.limit),
};

/** A whole number in a query: digits only, so that `1e3` and `0x10` are not numbers. */
function integer(range: { minimum: number; maximum: number; default: number }, wrong: string): Joi.Schema<number> {
  const schema = Joi.string()
    .messages({ 'string.empty': wrong })
    .custom((value: string, helpers) => {
      const number = /^\d{1,15}$/.test(value) ? Number(value) : 0;
      return number < range.minimum || number > range.maximum ? helpers.error('contract', { text: wrong }) : number;
    });
  return schema.default(range.default).meta({ type: 'integer', ...range }) as unknown as Joi.Schema<number>;
}

/** `data` of a list: its rows under their name, and where in the list they are. */
export const pageOf = (name_: string, row: Joi.Schema) =>
  Joi.object({
    [name_]: Joi.array().items(row).required(),
    pagination: Joi.object({
      total: Joi.number().integer().required(),
      page: Joi.number().integer().required(),
      pages: Joi.number().integer().required(),
      limit: Joi.number().integer().required(),
    }).required(),
  });

/** `data` of an answer that says only what was done. */
export const messageOnly = Joi.object({ message: Joi.string().required() });
export const id = () => Joi.string().guid().required();
export const date = () => Joi.string().isoDate().required();
export const dateOrNull = () => Joi.string().isoDate().allow(null).required();
export const textOrNull = () => Joi.string().allow('', null).required();
