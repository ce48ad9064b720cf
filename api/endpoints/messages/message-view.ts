/** The public shape of a message: what is shown, and its schema. Fields are listed one by one, so that a new column is never exposed by accident. */
import Joi from 'joi';
import { channels } from '../../../models/channels.js';
import { type ClientFields, type MessageRow, unsent } from '../../../models/tables/message.js';
import type { ChainView } from '../../../models/operations/messages/fallback-chain.js';
import { toCredits } from '../../../models/rules/billing/credits.js';
import { unlessErased } from '../../../models/rules/contacts/erasure.js';
import { failureCodes } from '../../../models/rules/messages/error-codes.js';
import { isAhead } from '../../../models/rules/messages/schedule.js';
import { publicStatuses, statusDetails } from '../../../models/rules/messages/status.js';
import { named } from '../../http/schemas/json-schema.js';
import { date, dateOrNull, id, idOrNull, textOrNull, enumOf } from '../../http/schemas/schemas.js';
import { oneOfWords } from '../../http/schemas/words.js';
import { iso } from '../../present/presenters.js';
import { chainFields } from './fallback-schemas.js';
import { templateInAnswer } from './template-in-answer.js';

/** The compiler names a field of the client that is not shown. */
type Shown<Fields> = { [Name in keyof Fields]: unknown } & Record<string, unknown>;

export const presentMessage = (row: MessageRow) =>
  ({
    id: row.id,
    to: unlessErased(row.to),
    channel: row.channel,
    content: row.erased_at === null ? row.content : null,
    status: row.status,
    status_detail: row.status_detail,
    credits_used: toCredits(row.credits_used),
    segments: row.segments,
    encoding: row.encoding,
    provider: row.provider,
    provider_message_id: unlessErased(row.provider_message_id),
    error_code: row.error_code,
    error_message: row.error_message,
    metadata: row.metadata,
    batch_id: row.batch_id,
    reference: row.reference,
    scheduled_at: iso(row.scheduled_at),
    expires_at: iso(row.expires_at),
    created_at: iso(row.created_at),
    sent_at: iso(row.sent_at),
    delivered_at: iso(row.delivered_at),
    failed_at: iso(row.failed_at),
    read_at: iso(row.read_at),
  }) satisfies Shown<ClientFields>;

/** How carriers encode the text of an SMS. */
const encodings = ['GSM-7', 'UCS-2'] as const;

const contentInAnswer = named(
  'MessageContent',
  Joi.object({
    text: Joi.string().required(),
    subject: Joi.string().allow(''),
    html: Joi.string(),
    unsubscribe: Joi.boolean(),
    template: templateInAnswer,
  }),
);

const shown = {
  id: id(),
  to: Joi.string().allow(null).required().description('Null after its erasure, as is `content`'),
  channel: enumOf('Channel', channels).required(),
  content: contentInAnswer.allow(null).required(),
  status: enumOf('MessageStatus', publicStatuses).required(),
  status_detail: Joi.string()
    .required()
    .description(`More precise than \`status\`. ${oneOfWords(statusDetails)}`),
  credits_used: Joi.number().required().description('The final cost: 0 after a refund'),
  segments: Joi.number()
    .integer()
    .allow(null)
    .required()
    .description('Parts in which the carrier sends an SMS. They do not change the price'),
  encoding: enumOf('Encoding', encodings).allow(null).required(),
  provider: textOrNull(),
  provider_message_id: textOrNull(),
  error_code: textOrNull().description(`Null if it has not failed. ${oneOfWords(failureCodes)}`),
  error_message: textOrNull(),
  metadata: named('Metadata', Joi.object().unknown()).allow(null).required(),
  batch_id: idOrNull(),
  reference: textOrNull(),
  scheduled_at: dateOrNull(),
  expires_at: dateOrNull(),
  created_at: date(),
  sent_at: dateOrNull(),
  delivered_at: dateOrNull(),
  failed_at: dateOrNull(),
  read_at: dateOrNull(),
} satisfies Record<keyof ReturnType<typeof presentMessage>, Joi.Schema>;

export const messageResponse = named('Message', Joi.object({ ...shown, ...chainFields }));

/** The position of a message in its fallback chain; no fields without a chain. */
export function presentChain(chain: ChainView | null) {
  if (chain === null) return {};
  const { fallback_of, steps, outcome, next_id } = chain;
  const waiting = steps?.map(({ channel, to, after }) => ({ channel, to: to ?? null, after })) ?? [];
  return { fallback_of, fallback: steps === null ? null : { steps: waiting, outcome: outcome ?? 'waiting', message_id: next_id } };
}

/** The message as it was when it was accepted, so that a repeated request gets exactly the same response. */
export const presentAcceptedMessage = (row: MessageRow) =>
  presentMessage({
    ...row,
    status: 'queued',
    status_detail: isAhead(row) ? 'scheduled' : 'accepted',
    credits_used: row.cost,
    ...unsent,
  });
