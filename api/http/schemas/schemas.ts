/** Schema parts that several endpoints share. `meta` holds what Joi cannot express for the OpenAPI document. */
import Joi from 'joi';
import { isCommonPassword } from '../../../models/rules/accounts/common-passwords.js';
import { isMadeOfOwnWords } from '../../../models/rules/accounts/own-words.js';
import { isCountry } from '../../../models/rules/values/country.js';
import { isEmail } from '../../../models/rules/values/email.js';
import { isPhone } from '../../../models/rules/values/phone.js';
import { faultTexts, pastText } from '../../../models/errors.js';
import { emailText, phoneText } from '../../../models/rules/messages/recipient.js';
import { isUuid } from '../../../models/rules/values/text.js';
import { readTimestamp } from '../../../models/rules/values/timestamp.js';
import { isCursor } from '../cursor.js';
import { type Convert, named, nameOf } from './json-schema.js';
import { atMostCharacters, requiredText, rule, text } from './validation.js';
import { patternOfList } from './words.js';

/** A check of a moment. */
export const inFuture = rule((at: Date) => (at.getTime() <= Date.now() ? pastText('{field}') : null));

const dateText = faultTexts.date;

/** E.164 for the OpenAPI document. The check itself is `isPhone`. */
export const phoneSchema = { type: 'string', pattern: '^\\+[1-9][0-9]{1,14}$', minLength: 3, maxLength: 16 };

export const phone = () => textThat(isPhone, phoneText).meta({ pattern: phoneSchema.pattern });
export const email = () =>
  requiredText()
    .custom(rule((value: string) => (isEmail(value) ? null : emailText)))
    .meta({ format: 'email', maxLength: 254 });
export const country = () => textThat(isCountry, 'Invalid country. Must be an ISO 3166 two-letter code').meta({ pattern: '^[A-Z]{2}$' });

/** An optional text with a custom check. An empty text fails it. */
export const textThat = (passes: (value: string) => boolean, wrong: string) =>
  text()
    .custom(rule((value: string) => (passes(value) ? null : wrong)))
    .messages({ 'string.empty': wrong });

/**
 * 8 to 128 characters, and not one of the commonest passwords. A surrogate pair counts as one character. At sign-up, `email` and `company_name`
 * are beside it; later, the operation compares it with those of the account.
 */
export const newPassword = () =>
  requiredText()
    .custom(rule((value: string) => ([...value].length < 8 ? faultTexts.shortPassword : null)))
    .custom(rule((value: string) => (value.length > 256 || [...value].length > 128 ? 'Password must be at most 128 characters' : null)))
    .custom(
      rule((value: string, { email: given, company_name: company }) => {
        const words = { email: typeof given === 'string' ? given : '', name: typeof company === 'string' ? company : '' };
        return isCommonPassword(value) || isMadeOfOwnWords(value, words) ? faultTexts.commonPassword : null;
      }),
    )
    .meta({ minLength: 8, maxLength: 128 });

const nameLengthMax = 255;

/** A display name: trimmed, not blank. The length limit applies before trimming. */
export const name = () =>
  requiredText()
    .custom(atMostCharacters(nameLengthMax))
    .custom((value: string, helpers) => (value.trim() === '' ? helpers.error('any.required') : value.trim()))
    .meta({ maxLength: nameLengthMax, pattern: '\\S' });

/** The maximum length of a list from a fixed set, duplicates included. */
const namesMax = 100;

/** One value from a fixed set, as a named schema. */
export const enumOf = (component: string, values: readonly string[], schema: Joi.StringSchema = Joi.string()): Joi.StringSchema =>
  named(component, schema.valid(...values));

/** A non-empty list of values from a fixed set. Duplicates are removed. */
export const nonEmptyEnumList = <T extends string>(component: string, values: readonly T[]) =>
  shortList(namesMax, enumOf(component, values), (list: T[], helpers) => {
    if (list.length > namesMax) return helpers.error('contract', { text: `{field} must have at most ${namesMax} items` });
    return list.length === 0 ? helpers.error('any.only', { valids: values }) : [...new Set(list)];
  }).meta({ minItems: 1 });

/**
 * A short list. The items of a longer list are not checked, because reporting hundreds of thousands of faults would block other requests.
 * @param whole checks the list, including its length
 */
export const shortList = (max: number, item: Joi.Schema, whole: Joi.CustomValidator) =>
  Joi.array()
    .empty(null)
    .custom((list: unknown[], helpers) => (list.length > max ? whole(list, helpers) : list))
    .when(
      Joi.array()
        .min(max + 1)
        .required(),
      { otherwise: Joi.array().items(item).custom(whole) },
    )
    .meta({ type: 'array', derive: (convert: Convert) => ({ items: convert(item) }), maxItems: max });

/** One or several values from a fixed set in a query, separated by commas. */
export const listOf = <T extends string>(values: readonly T[]) =>
  text()
    .messages({ 'string.empty': `Invalid {#label}. Must be one of: ${values.join(', ')}` })
    .custom((value: string, helpers) => {
      const given = [...new Set(value.split(','))];
      return given.every((one) => (values as readonly string[]).includes(one)) ? given : helpers.error('any.only', { valids: values });
    })
    .meta({ pattern: patternOfList(values), examples: [values[0]] }) as unknown as Joi.Schema<T[]>;

/** A timestamp with a time zone, converted to a Date. */
export const moment = () =>
  text()
    .messages({ 'string.empty': dateText })
    .custom((value: string, helpers) => {
      const timestamp = readTimestamp(value);
      return timestamp === null || !timestamp.hasZone ? helpers.error('contract', { text: dateText }) : timestamp.at;
    })
    .meta({ format: 'date-time' }) as unknown as Joi.Schema<Date>;

/** The descriptions of `bound` in the OpenAPI document. */
const boundTexts = {
  first: 'Start of the period. A date without a time means the start of that day (UTC)',
  last: 'End of the period. A date without a time means the end of that day (UTC)',
} as const;

/** The start or end of a period in a query, converted to a Date. A date without time means its first or last millisecond in UTC. */
export const bound = (end: 'first' | 'last') =>
  text()
    .messages({ 'string.empty': dateText })
    .custom((value: string, helpers) => {
      // The plus sign of a time zone arrives as a space if it was not URL-encoded. No timestamp contains a space.
      const timestamp = readTimestamp(value.replace(' ', '+'));
      if (timestamp === null) return helpers.error('contract', { text: dateText });
      return timestamp.isDay && end === 'last' ? new Date(timestamp.at.getTime() + 86_399_999) : timestamp.at;
    })
    .description(boundTexts[end])
    .meta({ format: 'date-time' }) as unknown as Joi.Schema<Date>;

/** An id in a query. A malformed id in a path is a 404 instead. */
export const uuid = (field: string) => textThat(isUuid, `${field} must be a UUID`).meta({ format: 'uuid' });

export interface PageQuery {
  /** Absent if the request has none, so that it is not mistaken for one beside a cursor. Default: 1. */
  page?: number;
  limit: number;
  cursor?: string;
}

/** `page`, `limit` and `cursor` of every list. */
export const pageQuery = {
  page: integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }, faultTexts.page, faultTexts.pageTooLarge)
    .meta({ default: 1 })
    .description('The page, counted from 1'),
  limit: integer({ minimum: 1, maximum: 100 }, faultTexts.limit).default(50).meta({ default: 50 }).description('Items per page'),
  cursor: textThat(isCursor, faultTexts.cursor)
    .custom(rule((_: string, { page }) => (page === undefined ? null : faultTexts.cursorAndPage)))
    .description('`next_cursor` of the previous response, with the same filters. Cannot be combined with `page`'),
};

/**
 * An integer in a query. Only digits are allowed, so that `1e3` and `0x10` are refused.
 * @param tooLarge the text for a number above the maximum. Default: the text for all that is wrong
 */
function integer(range: { minimum: number; maximum: number }, wrong: string, tooLarge = wrong): Joi.Schema<number> {
  const schema = Joi.string()
    .messages({ 'string.empty': wrong })
    .custom((value: string, helpers) => {
      const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
      if (number > range.maximum) return helpers.error('contract', { text: tooLarge });
      return number >= range.minimum ? number : helpers.error('contract', { text: wrong });
    });
  return schema.meta({ type: 'integer', ...range }) as unknown as Joi.Schema<number>;
}

const pagination = named(
  'Pagination',
  Joi.object({
    total: Joi.number().integer().allow(null).required().description('Null with a cursor'),
    page: Joi.number().integer().required().description('1 with a cursor'),
    pages: Joi.number().integer().allow(null).required().description('0 if the list is empty; null with a cursor'),
    limit: Joi.number().integer().required(),
    next_cursor: Joi.string().allow(null).required().description('For the next part of the list; null at the end'),
  }),
);

/** The `data` of a list: the rows, and the pagination. The name of the row is part of its own name. */
export const pageOf = (listName: string, row: Joi.Schema) =>
  named(`${nameOf(row)}List`, Joi.object({ [listName]: Joi.array().items(row).required(), pagination: pagination.required() }));

/** The `data` of a response with one resource, in a field of its own. */
export const dataOf = (field: string, resource: Joi.Schema) =>
  named(`${nameOf(resource)}Data`, Joi.object({ [field]: resource.required() }));

/** The `data` of a response that contains only a message. */
export const messageOnly = named('ConfirmationData', Joi.object({ message: Joi.string().required() }));

/** A fault of a field; of the whole request, if the field is empty. */
export const fault = () => named('Fault', Joi.object({ field: Joi.string().allow('').required(), message: Joi.string().required() }));
export const id = () => Joi.string().guid().required();
export const idOrNull = () => Joi.string().guid().allow(null).required();
export const date = () => Joi.string().isoDate().required();
export const dateOrNull = () => Joi.string().isoDate().allow(null).required();
export const textOrNull = () => Joi.string().allow('', null).required();
