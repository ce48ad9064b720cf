/** Schemas of contacts. */
import Joi from 'joi';
import { isEmail } from '../../../models/rules/values/email.js';
import { faultOfMetadata, metadataLimits } from '../../../models/rules/values/metadata.js';
import { emailText } from '../../../models/rules/messages/recipient.js';
import { nameLengthMax } from '../../../models/tables/contact.js';
import { named } from '../../http/schemas/json-schema.js';
import { date, shortList, id, phone, textOrNull, textThat } from '../../http/schemas/schemas.js';
import { atMostCharacters, rule, text } from '../../http/schemas/validation.js';

/** The fields of a contact in a request. Undefined leaves a field unchanged, null clears it. */
export interface ContactBody {
  name?: string | null;
  phone?: string | null;
  email?: string | null;
  tags?: string[] | null;
  custom_fields?: Record<string, unknown> | null;
}

const tagLengthMax = 64;
/** In a request, duplicates included. They are removed after this check. */
const tagsMax = 50;

/** Null is a value here: it clears the field. In other schemas it counts as absent. */
const nullable = <T extends Joi.StringSchema>(schema: T) => schema.empty().allow(null);

const tag = text()
  .empty()
  .messages({ 'string.empty': '{#label} must not be empty' })
  .custom(atMostCharacters(tagLengthMax))
  .meta({ minLength: 1, maxLength: tagLengthMax });

export const contactFields = {
  name: nullable(text())
    .min(0) // with allow(''), the checks below would not see an empty name
    .custom(atMostCharacters(nameLengthMax))
    .custom((value: string) => value.trim() || null)
    .meta({ maxLength: nameLengthMax }),
  phone: nullable(phone()).description('E.164'),
  email: nullable(textThat(isEmail, emailText)).meta({ format: 'email' }),
  tags: shortList(tagsMax, tag, (list: string[], helpers) =>
    list.length > tagsMax ? helpers.error('contract', { text: `{field} must have at most ${tagsMax} items` }) : [...new Set(list)],
  )
    .empty()
    .allow(null)
    .meta({ type: ['array', 'null'] }),
  custom_fields: Joi.object()
    .allow(null)
    .custom(rule((value: object) => faultOfMetadata('custom_fields', value)))
    .description(metadataLimits),
};

export const contactResponse = named(
  'Contact',
  Joi.object({
    id: id(),
    name: textOrNull(),
    phone: textOrNull(),
    email: textOrNull(),
    tags: Joi.array().items(Joi.string()).required(),
    custom_fields: Joi.object().unknown().required(),
    created_at: date(),
    updated_at: date(),
  }),
);
