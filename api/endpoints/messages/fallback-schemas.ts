/** Schemas of fallbacks: messages on another channel, sent when a message is not delivered. */
import Joi from 'joi';
import { type Channel, channels, isChannel } from '../../../models/channels.js';
import { missingFieldText } from '../../../models/errors.js';
import { faultOfTexts } from '../../../models/rules/messages/content-limits.js';
import { afterSecondsMax, fallbackStepsMax } from '../../../models/rules/messages/fallback.js';
import { faultOfRecipient } from '../../../models/rules/messages/recipient.js';
import { named } from '../../http/schemas/json-schema.js';
import { recipientOfChannel } from '../../http/schemas/recipients.js';
import { shortList, idOrNull, enumOf } from '../../http/schemas/schemas.js';
import { requiredText, rule, text } from '../../http/schemas/validation.js';
import { wholeNumber } from '../../http/schemas/whole-number.js';
import { hasVariables } from './checked-after-rendering.js';

/** A fallback step in a request. */
export interface GivenStep {
  channel: Channel;
  /** Default: the recipient of the message, or the contact's address on this channel. */
  to?: string;
  after: number;
}

const step = named(
  'FallbackStep',
  Joi.object({
    channel: enumOf('Channel', channels, requiredText()),
    to: text()
      .empty(['', null])
      .custom(recipientOfChannel)
      .description('Default: the recipient of the message if this channel can reach it; with `contact_id`, the address of the contact'),
    after: wholeNumber(1, afterSecondsMax)
      .empty(null)
      .required()
      .description('Seconds within which the previous message must be delivered, from its acceptance or its `scheduled_at`'),
  }),
);

/** The fields of the message before the chain, as given. They may have faults, which are reported elsewhere. */
type GivenMessage = Readonly<Record<string, unknown>>;

/** Checks the chain as a whole: recipient and text must be valid for every step. */
const chain = rule((steps: readonly (Partial<GivenStep> | null)[], message: GivenMessage) => {
  if (steps.length === 0 || steps.length > fallbackStepsMax) return `{field} must have 1 to ${fallbackStepsMax} items`;
  for (const [at, given] of steps.entries()) {
    const { channel, to } = given ?? {}; // null has a fault already
    if (!isChannel(channel)) continue;
    const field = `fallback[${at}].to`;
    if ((to ?? '') === '' && needsOwnRecipient(channel, message)) return { field, message: missingFieldText(field) };
    const wrong = faultOfTextsOn(channel, message);
    if (wrong !== null) return { field: 'content.text', message: wrong };
  }
  return null;
});

/** Whether a step on this channel cannot be sent to the recipient of the message. */
const needsOwnRecipient = (channel: Channel, { to, contact_id }: GivenMessage): boolean =>
  (contact_id ?? '') === '' && typeof to === 'string' && faultOfRecipient(channel, to) !== null;

/** Texts with variables are checked after rendering. */
function faultOfTextsOn(channel: Channel, message: GivenMessage): string | null {
  const { text: words, html } = (message.content ?? {}) as { text?: unknown; html?: unknown };
  if (typeof words !== 'string' || hasVariables(message)) return null;
  return faultOfTexts(channel, words, typeof html === 'string' ? html : undefined);
}

export const fallbackField = shortList(fallbackStepsMax, step, chain)
  .meta({ minItems: 1 })
  .description(
    'Messages to send instead, in order, if the message fails or is not delivered in time. Not used after a cancel or an expiry. Each step is a message of its own, with the parts of the content that its channel supports. The whole chain costs at most as much as its most expensive step',
  );

const stepInAnswer = Joi.object({
  channel: Joi.string().required(),
  to: Joi.string().required(),
  after: Joi.number().integer().required(),
});

const previewedStep = named(
  'PreviewedFallbackStep',
  stepInAnswer.keys({
    segments: Joi.number().integer().allow(null).required(),
    encoding: Joi.string().allow(null).required(),
    credits: Joi.number().required().description('The price of this step alone'),
  }),
);

/** The fallback in the response of a preview. */
export const previewedChain = named(
  'PreviewedFallback',
  Joi.object({
    steps: Joi.array().items(previewedStep).required(),
    credits_max: Joi.number().required().description('The most that the message and all its steps can cost together'),
  }),
).description('Present only if the request has a fallback');

const outcomes = ['waiting', 'sent', 'not_needed', 'unaffordable', 'unknown'] as const;

/** Fields of a message that is part of a fallback chain. */
export const chainFields = {
  fallback_of: idOrNull().optional().description('The id of the message that this one was sent instead of'),
  fallback: named(
    'MessageFallback',
    Joi.object({
      steps: Joi.array()
        .items(named('MessageFallbackStep', stepInAnswer.keys({ to: Joi.string().allow(null).required() })))
        .required(),
      outcome: Joi.string()
        .valid(...outcomes)
        .required(),
      message_id: idOrNull().description('The id of the message that was sent instead; null if none was'),
    }),
  )
    .allow(null)
    .description('What is sent if the message fails or is not delivered in time'),
};
