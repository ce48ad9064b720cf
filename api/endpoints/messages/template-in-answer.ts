/** The schema of the approved WhatsApp template of a message, in responses. */
import Joi from 'joi';
import { buttonTypes, headerTypes } from '../../../models/rules/messages/whatsapp-template.js';
import { named } from '../../http/schemas/json-schema.js';

const headerInAnswer = Joi.object({
  type: Joi.string()
    .valid(...headerTypes)
    .required(),
  text: Joi.string(),
  name: Joi.string(),
  link: Joi.string(),
  filename: Joi.string(),
});
const buttonInAnswer = Joi.object({
  index: Joi.number().integer().required(),
  type: Joi.string()
    .valid(...buttonTypes)
    .required(),
  suffix: Joi.string(),
  payload: Joi.string(),
});

export const templateInAnswer = named(
  'MessageTemplate',
  Joi.object({
    name: Joi.string().required(),
    language: Joi.string().required(),
    variables: Joi.object().unknown(),
    header: named('MessageTemplateHeader', headerInAnswer),
    buttons: Joi.array().items(named('MessageTemplateButton', buttonInAnswer)),
  }),
);
