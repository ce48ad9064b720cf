/** Schemas of approved WhatsApp templates. */
import Joi from 'joi';
import { mayHavePlaceholders } from '../../../models/rules/messages/template.js';
import {
  buttonsMax,
  buttonTypes,
  doubleIndexOf,
  faultOfText,
  faultOfTemplateVariables,
  headerTypes,
  isLanguage,
  isTemplateName,
  isVariableName,
  type TextKind,
  textRules,
} from '../../../models/rules/messages/whatsapp-template.js';
import { shortList, textThat } from '../../http/schemas/schemas.js';
import { requiredText, rule, text } from '../../http/schemas/validation.js';
import { wholeNumber } from '../../http/schemas/whole-number.js';
import { templateChannelsInWords } from '../../present/channel-texts.js';
import { isCheckedAfterRendering } from './checked-after-rendering.js';

const indexMax = 9;
const nameText = '{field} must be 1 to 64 letters, digits or underscores';

/** The JSON Schema of a text that a rule checks. Its limits are in words: they apply to the text with the values of variables. */
const shapeOf = (kind: TextKind) => ({
  type: 'string',
  minLength: 1,
  description: `${textRules[kind].wrong.replace(/^must be /, '').replace(/^./, (letter) => letter.toUpperCase())}, with the values of variables`,
});

interface OfTypes {
  /** The types of its part (a header or a button) that have the field. */
  types: readonly string[];
  /** All types of the part. */
  among: readonly string[];
}

/** Refuses a value beside another type of its part: it would be lost. */
const onlyForTypes = ({ types, among }: OfTypes) =>
  rule((_value, { type }) =>
    among.includes(String(type)) && !types.includes(String(type)) ? `{field} is not a field of the type ${type}` : null,
  );

interface TextOfTypes extends OfTypes {
  kind: TextKind;
  hasPlaceholders: boolean;
  isRequired?: boolean;
}

/** A text that belongs to some types of its part. */
const textOfTypes = ({ types, among, kind, hasPlaceholders, isRequired = true }: TextOfTypes) =>
  text()
    .empty(['', null])
    .custom(onlyForTypes({ types, among }))
    .custom(
      rule((value: string, { type }, _around, root) => {
        if (hasPlaceholders || isCheckedAfterRendering(value, root) || !types.includes(String(type))) return null;
        const wrong = faultOfText(kind, value);
        return wrong === null ? null : `{field} ${wrong}`;
      }),
    )
    .when('type', {
      is: Joi.valid(...types).required(),
      // oxlint-disable-next-line unicorn/no-thenable -- the name of an option
      then: isRequired ? Joi.required() : Joi.optional(),
    });

function headerField(hasPlaceholders: boolean) {
  const common = { among: headerTypes, hasPlaceholders };
  const variant = (type: (typeof headerTypes)[number], properties: object, required: string[]) => ({
    component: `Template${type.charAt(0).toUpperCase()}${type.slice(1)}Header`,
    properties: { type: { enum: [type] }, ...properties },
    required: ['type', ...required],
  });
  return Joi.object({
    type: requiredText().valid(...headerTypes),
    text: textOfTypes({ types: ['text'], kind: 'text', ...common }),
    name: textThat(isVariableName, nameText)
      .empty(['', null])
      .custom(onlyForTypes({ types: ['text'], among: headerTypes }))
      .meta({ pattern: '^[A-Za-z0-9][A-Za-z0-9_]{0,63}$' })
      .description('The name of the variable, if the variables of the template have names'),
    link: textOfTypes({ types: ['image', 'video', 'document'], kind: 'link', ...common }),
    filename: textOfTypes({ types: ['document'], kind: 'filename', isRequired: false, ...common }),
  })
    .empty(null)
    .meta({
      component: 'TemplateHeader',
      variants: [
        variant('text', { text: shapeOf('text'), link: null, filename: null }, ['text']),
        variant('image', { link: shapeOf('link'), text: null, name: null, filename: null }, ['link']),
        variant('video', { link: shapeOf('link'), text: null, name: null, filename: null }, ['link']),
        variant(
          'document',
          { link: shapeOf('link'), text: null, name: null, filename: { ...shapeOf('filename'), type: ['string', 'null'], minLength: 0 } },
          ['link'],
        ),
      ],
    });
}

const oneEach = rule((buttons: readonly ({ index?: unknown } | null)[]) => {
  if (buttons.length > buttonsMax) return `{field} must have at most ${buttonsMax} items`;
  const double = doubleIndexOf(buttons);
  return double === undefined ? null : `{field} must have one item for each index, and has two for ${double}`;
});

function buttonsField(hasPlaceholders: boolean) {
  const common = { among: buttonTypes, hasPlaceholders };
  const button = Joi.object({
    index: wholeNumber(0, indexMax).empty(null).required(),
    type: requiredText().valid(...buttonTypes),
    suffix: textOfTypes({ types: ['url'], kind: 'suffix', ...common }),
    payload: textOfTypes({ types: ['quick_reply'], kind: 'payload', ...common }),
  }).meta({
    component: 'TemplateButton',
    variants: [
      {
        component: 'TemplateUrlButton',
        properties: { type: { enum: ['url'] }, suffix: shapeOf('suffix'), payload: null },
        required: ['index', 'type', 'suffix'],
      },
      {
        component: 'TemplateQuickReplyButton',
        properties: { type: { enum: ['quick_reply'] }, payload: shapeOf('payload'), suffix: null },
        required: ['index', 'type', 'payload'],
      },
    ],
  });
  return shortList(buttonsMax, button, oneEach).description(
    'Values for buttons by their position, counted from 0: the end of a URL, or the payload that comes back when a quick reply is pressed',
  );
}

/** @param hasPlaceholders the texts may contain placeholders, as in a bulk send */
export const templateField = ({ hasPlaceholders = false } = {}) =>
  Joi.object({
    name: requiredText()
      .custom(rule((name: string) => (isTemplateName(name) ? null : '{field} must be 1 to 512 letters, digits or underscores')))
      .meta({ pattern: '^[A-Za-z0-9_]{1,512}$' })
      .description('The name approved by Meta; with Twilio the SID of the content (HX…)'),
    language: requiredText()
      .custom(rule((language: string) => (isLanguage(language) ? null : '{field} must be a language such as en or en_US')))
      .meta({ pattern: '^[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8})?$' })
      .description('Language code, for example en_US'),
    variables: Joi.object()
      .empty(null)
      .custom(
        rule((value: object, _siblings, _around, root) =>
          faultOfTemplateVariables(
            'content.template.variables',
            value,
            hasPlaceholders ? mayHavePlaceholders : (each) => isCheckedAfterRendering(each, root),
          ),
        ),
      )
      .meta({
        propertyNames: { pattern: '^[A-Za-z0-9][A-Za-z0-9_]{0,63}$' },
        additionalProperties: shapeOf('variable'),
        maxProperties: 50,
      })
      .description(
        'Values for the variables of the body, by name or by number from 1, as in the template; at most 50. With Twilio, for the variables of all parts: header and buttons are omitted',
      ),
    header: headerField(hasPlaceholders),
    buttons: buttonsField(hasPlaceholders),
  })
    .empty(null)
    .meta({ component: 'Template' })
    .description(
      `${templateChannelsInWords} only: the approved template that is sent instead of the text. Recipients who have not written to you in the last 24 hours can be reached only with a template`,
    );
