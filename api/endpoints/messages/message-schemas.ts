/** Schemas of sends. */
import Joi from 'joi';
import { type Channel, channels, channelsTo, isChannel } from '../../../models/channels.js';
import { faultOfTexts, isReference, isSubject, subjectText, textSizeMax } from '../../../models/rules/messages/content-limits.js';
import type { Content } from '../../../models/rules/messages/content.js';
import type { ClientFields, RequestFields } from '../../../models/tables/message.js';
import { faultOfMetadata, metadataLimits } from '../../../models/rules/values/metadata.js';
import { exactNumbers } from '../../../models/rules/values/number.js';
import { named } from '../../http/schemas/json-schema.js';
import { recipientAbout, recipientOfChannel } from '../../http/schemas/recipients.js';
import { moment, phoneSchema, textThat, enumOf } from '../../http/schemas/schemas.js';
import { requiredText, rule, text } from '../../http/schemas/validation.js';
import { fallbackField, type GivenStep } from './fallback-schemas.js';
import { hasVariables, isCheckedAfterRendering } from './checked-after-rendering.js';
import { templateField } from './template-schemas.js';

/** The validated body of a single send or preview. */
export interface SendBody extends RequestFields {
  /** Absent if the body has a `contact_id`. */
  to?: string;
  contact_id?: string;
  channel: Channel;
  content: Content;
  /** If present, placeholders in the content are replaced. */
  variables?: object;
  /** Not part of the request: the content before rendering. */
  written?: Content;
  scheduled_at?: Date;
  expires_at?: Date;
  fallback?: readonly GivenStep[];
}

const scheduleMsMax = 30 * 24 * 3_600_000;

/** With variables, the texts are checked after rendering. */
const contentText = rule((value: string, { html }, body) =>
  isChannel(body.channel) && !hasVariables(body) ? faultOfTexts(body.channel, value, typeof html === 'string' ? html : undefined) : null,
);

const subject = rule((value: string, _content, body) => (isCheckedAfterRendering(value, body) || isSubject(value) ? null : subjectText));

/** Whether it is in the past is checked later, see `assertNotExpired`. */
const afterSchedule = rule((at: Date, { scheduled_at }) =>
  scheduled_at instanceof Date && at <= scheduled_at ? '{field} must be after scheduled_at' : null,
);

/** Fields of both single and bulk sends, besides the content. */
export const commonFields = {
  metadata: named('Metadata', Joi.object())
    .empty(null)
    .custom(rule((value: object) => faultOfMetadata('metadata', value)))
    .description(metadataLimits),
  reference: textThat(isReference, 'reference must be 1 to 255 characters')
    .meta({ maxLength: 255 })
    .description('Your own reference, for example an order number'),
  scheduled_at: moment()
    .custom(rule((at: Date) => (at.getTime() > Date.now() + scheduleMsMax ? '{field} must be at most 30 days ahead' : null)))
    .description('At most 30 days ahead; a time in the past means now'),
  expires_at: moment()
    .custom(afterSchedule)
    .description('A message that was not handed to a carrier by this time fails with the error code `expired`'),
} satisfies Record<keyof ClientFields | 'scheduled_at' | 'expires_at', Joi.Schema>;

/**
 * The values of placeholders, for the OpenAPI document. Their types are in words: code generators for Go cannot read a value of several types.
 */
export const variablesAbout = `Texts, numbers and booleans; null counts as absent. Numbers from ${exactNumbers.minimum} to ${exactNumbers.maximum}; send larger ones as strings`;

export const htmlField = text().empty(['', null]).description('email only');

/** The id of a contact, for the OpenAPI document. A malformed one is answered like an unknown one. */
export const contactId = { type: 'string', format: 'uuid' };

/** The three kinds of recipients for the OpenAPI document; Joi rules check them. */
const toPhone = {
  component: 'SendToPhone',
  properties: {
    contact_id: null,
    to: { ...phoneSchema, description: 'Phone number in E.164 format' },
    channel: { enum: channelsTo('phone') },
    content: {
      component: 'PhoneContent',
      properties: { text: { description: `At most ${textSizeMax(channelsTo('phone'))} characters, with the values of variables` } },
    },
  },
  required: ['to', 'channel', 'content'],
};
const toAddress = {
  component: 'SendToEmailAddress',
  properties: {
    contact_id: null,
    to: { type: 'string', format: 'email', maxLength: 254, description: 'E-mail address' },
    channel: { enum: channelsTo('email') },
  },
  required: ['to', 'channel', 'content'],
};
const toContact = {
  component: 'SendToContact',
  properties: { contact_id: contactId, to: null },
  required: ['contact_id', 'channel', 'content'],
};

export const unsubscribeField = Joi.boolean()
  .empty(null)
  .description('email only: adds the headers for unsubscribing with one click (RFC 8058)');

export const sendBody = Joi.object<SendBody>({
  // `contact_id` is declared before `to`, which depends on it. Joi would move `to` to the end, and faults are sorted in the order of the keys.
  contact_id: text()
    .empty(['', null])
    .custom(rule((_id: string, { to }) => ((to ?? '') === '' ? null : 'contact_id cannot be given together with to')))
    .description('The id of a contact, instead of `to`. Its phone number is used, or its e-mail address for email'),
  to: text()
    .empty(['', null])
    .custom(recipientOfChannel)
    .when('contact_id', { is: Joi.exist(), otherwise: Joi.required() })
    .description(recipientAbout),
  channel: enumOf('Channel', channels, requiredText()),
  content: named(
    'Content',
    Joi.object({
      text: requiredText().custom(contentText),
      subject: text()
        .empty(['', null])
        .custom(subject)
        .description('email only: one line of at most 998 characters, with the values of variables'),
      html: htmlField,
      unsubscribe: unsubscribeField,
      template: templateField(),
    }),
  )
    .empty(null)
    .required(),
  variables: Joi.object()
    .empty(null)
    .description(
      `Values of the placeholders {{ name }} and {{ name | fallback }} in the content, which are replaced as in a bulk send. Then the limits of texts apply to the texts with the values. Without variables the content is sent literally. ${variablesAbout}`,
    ),
  ...commonFields,
  fallback: fallbackField,
})
  .meta({ variants: [toPhone, toAddress, toContact] })
  .required();
