/** Checks that several settings share. */
import Joi from 'joi';
import { isEmail } from '../rules/values/email.js';

/** @param nothing a word for the empty list, if an empty text means that the setting is absent */
export const list = (item: Joi.Schema, nothing = '') => listBy((text) => (text === nothing ? [] : partsOf(text)), item);

/** A list with at least one item. Without the setting, its default applies. */
export const filledList = (item: Joi.Schema) =>
  list(item).custom((items: string | unknown[], helpers) =>
    Array.isArray(items) && items.length === 0 ? helpers.message({ custom: '{{#label}} must have at least one item' }) : items,
  );

/** A list whose items may contain commas: it is comma-separated, or a list in JSON. */
export const listOrJson = (item: Joi.Schema) => listBy((text) => textsOf(text) ?? partsOf(text), item);

const listBy = (read: (text: string) => string[], item: Joi.Schema) =>
  Joi.string()
    .allow('')
    .custom((text: string, helpers) => {
      const { value, error } = Joi.array()
        .items(item)
        .validate(read(text), { errors: { wrap: { label: false } } });
      if (error === undefined) return value;
      // Items are named by their place: a list can contain secrets.
      const named = error.message.replace(/^\[(\d+)\]/, (_, index: string) => `item ${Number(index) + 1}`);
      return helpers.message({ custom: `{{#label}}: ${named}` });
    });

const partsOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** The texts of a list in JSON; null if it is anything else. */
function textsOf(text: string): string[] | null {
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every((each) => typeof each === 'string') ? value : null;
  } catch {
    return null;
  }
}

/** 0: never. */
export const days = Joi.number().integer().min(0).max(36_500);

/** Joi accepts a port above 65535. */
export const parsable: Joi.CustomValidator<string> = (text, helpers) => (URL.canParse(text) ? text : helpers.error('string.uri'));

export function url(example: string, ...scheme: string[]): Joi.StringSchema {
  const text = `{{#label}} must be a URL, for example ${example}`;
  return Joi.string().uri({ scheme }).custom(parsable).messages({ 'string.uri': text, 'string.uriCustomScheme': text });
}

const portMax = 65_535;

export const hostAndPort = Joi.string()
  .custom((text: string, helpers) => {
    const port = Number(/^[^\s/]+:(\d{1,5})$/.exec(text)?.[1]);
    return port > 0 && port <= portMax ? text : helpers.error('address');
  })
  .messages({ address: '{{#label}} must be host:port' });

/** `smtp:mail.example.com` is a URL without a host. */
export const mailServer = url('smtps://user:password@mail.example.com', 'smtp', 'smtps').custom((text: string, helpers) =>
  URL.canParse(text) && new URL(text).hostname === '' ? helpers.error('string.uri') : text,
);

const mailboxText = '{{#label}} must be an e-mail address, for example Example <hello@example.com>';

/** An address, or a name that needs no quotes with an address in angle brackets. */
export const mailbox = Joi.string()
  .custom((text: string, helpers) => (isEmail(/^[\p{L}\p{N} .'_-]+<([^<>]+)>$/u.exec(text)?.[1] ?? text) ? text : helpers.error('mailbox')))
  .messages({ mailbox: mailboxText });

/** An address of any kind, also of a mail server on this machine, with any name. For mails that this program writes itself. */
export const anyMailbox = Joi.string()
  .trim()
  .pattern(/^(?:[^\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/)
  .messages({ 'string.pattern.base': mailboxText });
