/** Checks that several settings share. */
import ipaddr from 'ipaddr.js';
import Joi from 'joi';
import { isEmail } from '../rules/values/email.js';

/** The values of all settings after their check, by name. Only the check knows their types. */
// oxlint-disable-next-line typescript/no-explicit-any -- see above
export type CheckedSettings = Readonly<Record<string, any>>;

/** @param nothing a word for the empty list, if an empty text means that the setting is absent */
export const list = (item: Joi.Schema, nothing = '') => listBy((text) => (text === nothing ? [] : partsOf(text)), item);

/** A list with at least one item, or the word for the empty list. Without the setting, its default applies. */
export const filledList = (item: Joi.Schema, nothing = '') =>
  list(item, nothing).custom((items: string | unknown[], helpers) =>
    Array.isArray(items) && items.length === 0 && helpers.original !== nothing
      ? helpers.message({ custom: '{{#label}} must have at least one item' })
      : items,
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

/** The items of a comma-separated list. */
export const partsOf = (text = ''): string[] =>
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

/** Visible ASCII without spaces: a credential or an identifier. */
export const oneWord = Joi.string()
  .pattern(/^[\x21-\x7e]+$/)
  .messages({ 'string.pattern.base': '{{#label}} must be visible ASCII characters without spaces' });

/** Joi accepts a port above 65535. */
const parsable: Joi.CustomValidator<string> = (text, helpers) => (URL.canParse(text) ? text : helpers.error('string.uri'));

export function url(example: string, ...scheme: string[]): Joi.StringSchema {
  const text = `{{#label}} must be a URL, for example ${example}`;
  return Joi.string().uri({ scheme }).custom(parsable).messages({ 'string.uri': text, 'string.uriCustomScheme': text });
}

/** The address of a server, to which the program adds paths. @param what follows "must be" */
export function origin(pattern: RegExp, what: string): Joi.StringSchema {
  const text = `{{#label}} must be ${what}`;
  return Joi.string()
    .pattern(pattern)
    .uri()
    .custom(parsable)
    .custom((value: string) => value.replace(/\/$/, ''))
    .messages({ 'string.pattern.base': text, 'string.uri': text });
}

/** The address of a site: paths are added at its end, and everybody may see it. */
export const website = url('https://tidings.example.com', 'http', 'https')
  .custom((text: string, helpers) => {
    const { username, password } = new URL(text);
    return /[?#]/.test(text) || username !== '' || password !== '' ? helpers.error('site') : text;
  })
  .messages({ site: '{{#label}} must not have a query, a fragment, a user or a password' });

/** Joi accepts addresses of the future, such as `v1.a`, and numbers with leading zeros, which are octal for some programs. */
const isAddress = (text: string): boolean =>
  text.includes(':')
    ? ipaddr.IPv6.isValid(text) && (!text.includes('.') || /^::ffff:/i.test(text))
    : ipaddr.IPv4.isValidFourPartDecimal(text);

const ip = (cidr: 'optional' | 'required', fault: string) =>
  Joi.string()
    .ip({ version: ['ipv4', 'ipv6'], cidr })
    .custom((text: string, helpers) => (isAddress(text.split('/')[0] ?? '') ? text : helpers.error('address')))
    .messages({ 'string.ip': fault, 'string.ipVersion': fault, address: fault });

export const network = ip('required', '{{#label}} must be a network, for example 10.0.0.0/8');

export const proxy = ip('optional', '{{#label}} must be an address or a network, for example 10.0.0.0/8')
  .pattern(/\/0+$/, { invert: true })
  .messages({ 'string.pattern.invert.base': '{{#label}} must not contain all addresses' });

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
