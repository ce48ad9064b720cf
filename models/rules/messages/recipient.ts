/** The recipients that each channel accepts. */
import { type AddressKind, type Channel, channels, channelTraits } from '../../channels.js';
import { isEmail } from '../values/email.js';
import { isPhone, otherSpellingInSql, phoneSpellings } from '../values/phone.js';

export const phoneText = 'Phone number must be in E.164 format';
export const emailText = 'Invalid email address';

interface AddressRules {
  isValid: (to: string) => boolean;
  /** The error text for an address that is not valid. */
  invalidText: string;
  /** The error text for a contact without such an address. */
  missingText: string;
  /** Two addresses with the same key are one recipient. */
  keyOf: (to: string) => string;
  /** The keys with which carriers may name the same recipient. */
  spellingsOf: (to: string) => string[];
  /** SQL: the same key of an expression. */
  keyInSql: (expression: string) => string;
}

const addressRules: Readonly<Record<AddressKind, AddressRules>> = {
  phone: {
    isValid: isPhone,
    invalidText: phoneText,
    missingText: 'Contact has no phone number',
    keyOf: (to) => to,
    spellingsOf: phoneSpellings,
    keyInSql: (expression) => expression,
  },
  email: {
    isValid: isEmail,
    invalidText: emailText,
    missingText: 'Contact has no e-mail address',
    keyOf: (to) => to.toLowerCase(),
    spellingsOf: (to) => [to],
    keyInSql: (expression) => `lower(${expression})`,
  },
};

const rulesOf = (channel: Channel) => addressRules[channelTraits[channel].address];

/** The field of a contact with its address on the channel. */
export const addressField = (channel: Channel) => channelTraits[channel].address;

/** True if the recipients of the channel are phone numbers. Only those belong to a country. */
export const hasPhoneNumbers = (channel: Channel) => channelTraits[channel].address === 'phone';

/** The error text for a contact without an address on the channel. */
export const noAddressText = (channel: Channel) => rulesOf(channel).missingText;

/** The error text when the recipient is not valid on the channel; null when it is. */
export function faultOfRecipient(channel: Channel, to: string): string | null {
  const { isValid, invalidText } = rulesOf(channel);
  return isValid(to) ? null : invalidText;
}

/** Two recipients with the same key are the same. Letter case is ignored in e-mail addresses. */
export const recipientKey = (channel: Channel, to: string) => rulesOf(channel).keyOf(to);

/** The keys of one recipient: of the address, and of the other way in which carriers and workspaces may write it. */
export const spellingsOf = (channel: Channel, to: string) => rulesOf(channel).spellingsOf(recipientKey(channel, to));

/** SQL: `spellingsOf` the row with this name as a list of expressions, some of which may be null. */
export const spellingsInSql = (row: string): string[] => [recipientKeyInSql(row), otherSpellingInSql(`${row}."to"`)];

/**
 * SQL: conditions that together find the messages to a recipient. Letter case is ignored in addresses. Those with capital letters have an index of
 * their own, and PostgreSQL uses both indexes only if each condition has a SELECT of its own.
 * @param key SQL: the key of the recipient, or `ANY` of an array of keys and digests
 */
export const recipientConditions = (key: string): string[] => [`"to" = ${key}`, `lower("to") = ${key} AND "to" <> lower("to")`];

/** SQL: `recipientKey` of the row with this name, which has the columns `channel` and `to`. */
export function recipientKeyInSql(row: string): string {
  const to = `${row}."to"`;
  const special = channels.flatMap((channel) => {
    const key = rulesOf(channel).keyInSql(to);
    return key === to ? [] : [`WHEN '${channel}' THEN ${key}`];
  });
  return `CASE ${row}.channel ${special.join(' ')} ELSE ${to} END`;
}
