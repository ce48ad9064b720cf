/** What a message looks like on its way in and out. */
import Joi from 'joi';
import { type Channel, channels } from '../../models/config.js';
import type { Fault } from '../../models/errors.js';
import { codePoints } from '../../models/rules/credits.js';
import { isEmail } from '../../models/rules/email.js';
import { isPhone } from '../../models/rules/phone.js';
import { publicStatuses } from '../../models/rules/status.js';
import { isStorable } from '../../models/rules/text.js';
import { date, dateOrNull, emailText, id, moment, phoneText, textOrNull, textThat } from '../schemas.js';
import { requiredText, rule, text } from '../validation.js';

/** The body of a single send or preview, checked. */
export interface SendBody {
  to: string;
  channel: Channel;
  content: { text: string; subject?: string; html?: string };
  metadata?: Record<string, unknown>;
  reference?: string;
  scheduled_at?: Date;
  expires_at?: Date;
}

const textLengthMax = 1600;
const emailBytesMax = 90 * 1024;
const scheduleMsMax = 30 * 24 * 3_600_000;
const metadataBytesMax = 4096;
const metadataKeysMax = 50;
const metadataLevelsMax = 5;
const prototypeKeys = new Set(['__proto__', 'constructor', 'prototype']);

/** Judged by the channel beside it; where that is no channel, only the channel is at fault. */
const recipient = rule((to: string, { channel }) => {
  if (channel === 'email') return isEmail(to) ? null : emailText;
  return (channel === 'sms' || channel === 'whatsapp') && !isPhone(to) ? phoneText : null;
});

const contentText = rule((value: string, { html }, { channel }) => {
  if (channel === 'sms' || channel === 'whatsapp') {
    return codePoints(value) > textLengthMax ? `{field} must be at most ${textLengthMax} characters` : null;
  }
  const bytes = Buffer.byteLength(value) + (typeof html === 'string' ? Buffer.byteLength(html) : 0);
  return bytes > emailBytesMax ? 'content.text and content.html must be at most 90 kB together' : null;
});

/** A line break in a subject would begin a header of the sender's choice. */
const subject = (value: string) => !/[\r\n]/.test(value) && codePoints(value) <= 998;

/** Free-form, within bounds; levels are counted first, because nothing else may recurse before. */
const metadata = rule((value: object): string | Fault | null => {
  if (levelsOf(value) > metadataLevelsMax) return `{field} must be at most ${metadataLevelsMax} levels deep`;
  if (Object.keys(value).length > metadataKeysMax) return `{field} must have at most ${metadataKeysMax} keys`;
  if (Buffer.byteLength(JSON.stringify(value)) > metadataBytesMax) return `{field} must be at most ${metadataBytesMax} bytes`;
  return faultInside('metadata', value);
});

function levelsOf(value: unknown, level = 1): number {
  if (typeof value !== 'object' || value === null) return level - 1;
  if (level > metadataLevelsMax) return level;
  return Math.max(level, ...Object.values(value).map((item) => levelsOf(item, level + 1)));
}

function faultInside(path: string, value: unknown): Fault | null {
  if (typeof value === 'string' && !isStorable(value)) return { field: path, message: `${path} must be valid text` };
  if (typeof value === 'number' && !Number.isFinite(value)) return { field: path, message: `${path} must be a number` };
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, item] of Object.entries(value)) {
    if (!isStorable(key)) return { field: path, message: `${path} must be valid text` };
    if (prototypeKeys.has(key)) return { field: path, message: `${path} must not have a key ${key}` };
    const fault = faultInside(Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`, item);
    if (fault !== null) return fault;
  }
  return null;
}

export const sendBody = Joi.object<SendBody>({
  to: requiredText().custom(recipient).description('E.164 phone number, or the e-mail address on the channel email'),
  channel: requiredText().valid(...channels),
  content: Joi.object({
    text: requiredText().custom(contentText),
    subject: textThat(subject, '{field} must be one line of at most 998 characters').empty(['', null]).meta({ maxLength: 998 }),
    html: text().empty(['', null]).description('email only'),
  })
    .empty(null)
    .required(),
  metadata: Joi.object().empty(null).custom(metadata).description('At most 4,096 bytes as JSON, 50 keys, 5 levels'),
  reference: textThat((value) => codePoints(value) <= 255 && value !== '', 'reference must be 1 to 255 characters').meta({
    maxLength: 255,
  }),
  scheduled_at: moment()
    .custom(rule((at: Date) => (at.getTime() > Date.now() + scheduleMsMax ? '{field} must be at most 30 days ahead' : null)))
    .description('At most 30 days ahead; a moment in the past means now'),
  expires_at: moment().description('Not handed to a provider after this moment'),
}).required();

export const messageResponse = Joi.object({
  id: id(),
  to: Joi.string().required(),
  channel: Joi.string()
    .valid(...channels)
    .required(),
  content: Joi.object({ text: Joi.string().required(), subject: Joi.string().allow(''), html: Joi.string() }).required(),
  status: Joi.string()
    .valid(...publicStatuses)
    .required(),
  status_detail: Joi.string().required(),
  credits_used: Joi.number().required(),
  segments: Joi.number().integer().allow(null).required(),
  encoding: Joi.string().valid('GSM-7', 'UCS-2', null).required(),
  provider: textOrNull(),
  provider_message_id: textOrNull(),
  error_code: textOrNull(),
  error_message: textOrNull(),
  metadata: Joi.object().unknown().allow(null).required(),
  batch_id: Joi.string().guid().allow(null).required(),
  reference: textOrNull(),
  scheduled_at: dateOrNull(),
  created_at: date(),
  sent_at: dateOrNull(),
  delivered_at: dateOrNull(),
  failed_at: dateOrNull(),
  read_at: dateOrNull(),
});
