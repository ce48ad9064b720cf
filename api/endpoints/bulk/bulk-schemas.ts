/** Schemas of bulk sends and batches. */
import Joi from 'joi';
import type { Fault } from '../../../models/errors.js';
import type { ClientFields, RequestFields } from '../../../models/tables/message.js';
import { batchStatuses } from '../../../models/tables/batch.js';
import { type Channel, channels } from '../../../models/channels.js';
import type { BulkContacts } from '../../../models/rules/bulk/bulk-contact.js';
import type { Content } from '../../../models/rules/messages/content.js';
import type { fieldsOfRecipient } from '../../../models/rules/bulk/bulk-recipient.js';
import { type BulkPlan, faultsOfPlan, planBulk, recipientsMax } from '../../../models/rules/bulk/bulk.js';
import { metadataLimits } from '../../../models/rules/values/metadata.js';
import { ignoredFieldsOf } from '../../../models/rules/bulk/ignored-fields.js';
import type { BulkRequest } from '../../../models/rules/bulk/bulk-templates.js';
import { refusalOfContent } from '../../../models/rules/messages/refusal-of-content.js';
import { publicStatuses } from '../../../models/rules/messages/status.js';
import type { BulkDeps } from '../../deps.js';
import { type Convert, named } from '../../http/schemas/json-schema.js';
import { recipientAbout } from '../../http/schemas/recipients.js';
import { date, dateOrNull, id, enumOf } from '../../http/schemas/schemas.js';
import { mergeFaults } from '../../http/schemas/unknown-fields.js';
import { type Checked, requiredText, rule, text } from '../../http/schemas/validation.js';
import { commonFields, contactId, htmlField, unsubscribeField, variablesAbout } from '../messages/message-schemas.js';
import { templateField } from '../messages/template-schemas.js';
import { noteUnusedContent } from '../messages/unused-content.js';

/** The validated body of a bulk send, with values derived from it. */
export interface BulkBody extends RequestFields {
  channel: Channel;
  content: Content;
  /** Empty if the body has a `tag`. */
  recipients: unknown[];
  tag?: string;
  rate?: number;
  scheduled_at?: Date;
  expires_at?: Date;
  on_invalid?: 'reject' | 'skip';
  allow_duplicates?: boolean;
  /** Not part of the request: `examineBulk` and `withContacts` derive it. */
  plan: BulkPlan;
  contacts?: BulkContacts;
}

const rateMax = 10_000;
/** Fields that only the batch can set (none now). In a recipient such a name would be a variable. */
type OfBatchOnly = never;
type OfRecipient = Exclude<keyof ClientFields, OfBatchOnly> | Exclude<(typeof fieldsOfRecipient)[number], 'to' | 'contact_id'>;
/** `readRecipient` reads them. The compiler names a new field of a message. */
const ofRecipient = {
  variables: { type: ['object', 'null'], additionalProperties: true, description: variablesAbout },
  metadata: { type: ['object', 'null'], additionalProperties: true, description: metadataLimits },
  reference: { type: ['string', 'null'], minLength: 1, maxLength: 255 },
} satisfies Record<OfRecipient, object>;
const noAddress = { type: ['string', 'null'], maxLength: 0, description: 'Absent or empty' };
/** Recipients for the OpenAPI document. No Joi rule checks them: see `recipients` below. */
const recipient = named(
  'BulkRecipient',
  Joi.any().meta({
    type: ['string', 'object'],
    variants: [
      { type: 'string', minLength: 1, description: recipientAbout },
      {
        component: 'RecipientByAddress',
        type: 'object',
        properties: { to: { type: 'string', minLength: 1 }, ...ofRecipient },
        required: ['to'],
        additionalProperties: true,
        description: 'All other texts, numbers and booleans of the object are variables, too',
      },
      {
        component: 'RecipientByContact',
        type: 'object',
        properties: { contact_id: contactId, to: noAddress, ...ofRecipient },
        required: ['contact_id'],
        not: { $ref: '#/components/schemas/RecipientByAddress' }, // beside an address, a `contact_id` is a variable like any other
        additionalProperties: true,
        description:
          'A contact. Its name and custom_fields are variables. All other texts, numbers and booleans of the object are variables, too, and take precedence',
      },
    ],
  }),
);

const toListed = {
  component: 'BulkToRecipients',
  properties: { tag: null, recipients: { type: 'array' } },
  required: ['channel', 'content', 'recipients'],
};
const toTagged = {
  component: 'BulkToTag',
  properties: { tag: { type: 'string', minLength: 1 }, recipients: null },
  required: ['channel', 'content', 'tag'],
};

export const bulkBody = Joi.object<BulkBody>({
  channel: enumOf('Channel', channels, requiredText()),
  content: named(
    'BulkContent',
    Joi.object({
      text: requiredText().description('Placeholders: {{ name }}, {{ name | fallback }}; \\{{ is a literal {{'),
      subject: text().empty(['', null]),
      html: htmlField,
      unsubscribe: unsubscribeField,
      template: templateField({ hasPlaceholders: true }),
    }),
  )
    .empty(null)
    .required(),
  // `tag` is declared before `recipients`, which depend on it.
  tag: text()
    .empty(['', null])
    .custom(rule((_tag: string, { recipients }) => ((recipients ?? null) === null ? null : 'tag cannot be given together with recipients')))
    .description('Instead of recipients: all contacts with this tag that the channel reaches'),
  // The schema does not check the items. Ten thousand at once would block other requests, so `examineBulk` checks them in slices.
  recipients: Joi.array()
    .empty(null)
    .when('tag', { is: Joi.exist(), otherwise: Joi.required() })
    .meta({ type: 'array', minItems: 1, maxItems: recipientsMax, derive: (convert: Convert) => ({ items: convert(recipient) }) }),
  ...commonFields,
  rate: Joi.number()
    .unsafe()
    .empty(null)
    .custom(rule((value: number) => (value > 0 && value <= rateMax ? null : `{field} must be more than 0 and at most ${rateMax}`)))
    .description('Maximum messages per second. Default: as many as the carrier accepts')
    .meta({ exclusiveMinimum: 0, maximum: rateMax }),
  on_invalid: text()
    .valid('reject', 'skip')
    .description('reject (default): an invalid recipient causes a 400, and nothing is sent; skip: invalid recipients are skipped'),
  allow_duplicates: Joi.boolean().empty(null).description('Send to a recipient as often as it is listed. Default: once'),
})
  .meta({ variants: [toListed, toTagged] })
  .required();

/** Checks the recipients, even if other fields have faults, so that one response reports all faults. */
export const examineBulk = (checked: Checked<BulkBody>, deps: Pick<BulkDeps, 'config'>): Promise<Checked<BulkBody>> =>
  planned(noteUnusedContent(checked), deps, faultsOfPlan);

/**
 * Adds the plan to the body, and the faults that `faultsIn` finds in it. If there are no faults, a content that would take too long to render is
 * refused with 409. With faults the recipients are checked against a short content instead, so that the 400 names all faults.
 * @param unitsMax see `PlanLimits`
 */
export async function planned(
  { value: given, faults, ...others }: Checked<BulkBody>,
  { config }: Pick<BulkDeps, 'config'>,
  faultsIn: (body: BulkBody, plan: BulkPlan) => Fault[],
  unitsMax?: number,
): Promise<Checked<BulkBody>> {
  const refusal = refusalOfContent(given.content, config.quotas.placeholders);
  const value = given.tag === undefined ? given : { ...given, recipients: [] };
  if (!Array.isArray(value.recipients)) return { ...others, refusal, value, faults };
  const unusable = [...faults.map(({ field }) => field), ...(refusal === undefined ? [] : ['content'])];
  const plan = await planBulk(checkable(value, unusable), { unitsMax });
  const ignored = [...(others.ignored ?? []), ...(await ignoredFieldsOf(value.recipients))];
  return { refusal, ignored, value: { ...value, plan }, faults: mergeFaults(bulkBody, faults, faultsIn(value, plan)) };
}

/** The body with a valid content in place of one that must not be rendered. */
export const withoutContent = (body: BulkBody): BulkBody => ({ ...body, content: placeholder });

const placeholder: Content = { text: '-' };

/** Replaces each of these fields by a placeholder, so that the recipients can still be checked. */
function checkable(value: BulkBody, unusable: readonly string[]): BulkRequest {
  const isUnusable = (name: string) => unusable.some((field) => field === name || field.startsWith(`${name}.`));
  return {
    ...value,
    channel: isUnusable('channel') ? null : value.channel,
    content: isUnusable('content') ? placeholder : value.content,
  };
}

const count = () => Joi.number().integer().required();

export const batchInList = named(
  'BatchSummary',
  Joi.object({
    id: id(),
    channel: enumOf('Channel', channels).required(),
    status: enumOf('BatchStatus', batchStatuses).required(),
    total: count(),
    accepted: count(),
    invalid: count(),
    credits_used: Joi.number().required(),
    counts: named('BatchCounts', Joi.object(Object.fromEntries(publicStatuses.map((status) => [status, count()])))).required(),
    rate: Joi.number().allow(null).required(),
    scheduled_at: dateOrNull(),
    created_at: date(),
    completed_at: dateOrNull(),
  }),
);

const skipped = Joi.object({ index: count(), field: Joi.string().required(), message: Joi.string().required() });

export const batchResponse = named(
  'Batch',
  batchInList.keys({
    errors: Joi.array().items(named('SkippedRecipient', skipped)).required(),
  }),
);
