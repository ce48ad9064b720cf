/**
 * Templates that WhatsApp has approved. Without one, only recipients who have written within 24 hours can be sent to. The limits are those
 * of Meta. https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-message-templates
 */
import type { Fault } from '../../errors.js';
import { codePoints, isStorable } from '../values/text.js';

/** A template in a request. With Twilio, `name` is the SID of its content (HX…). */
export interface WhatsappTemplate {
  name: string;
  language: string;
  /** The variables of the body, with Twilio of all parts: by name, or by number from 1, as the template has them. */
  variables?: Record<string, string>;
  header?: TemplateHeader;
  /** The buttons that have variables. */
  buttons?: TemplateButton[];
}

/** The header: the value of its one variable, or the link to a file. `name`: the name of the variable, if it has one. */
export type TemplateHeader =
  | { type: 'text'; text: string; name?: string }
  | { type: 'image' | 'video'; link: string }
  | { type: 'document'; link: string; filename?: string };

/** `index`: the position of the button, from 0. `suffix`: the end of its URL. `payload`: what a press of the button returns. */
export type TemplateButton = { index: number } & ({ type: 'url'; suffix: string } | { type: 'quick_reply'; payload: string });

export const headerTypes = ['text', 'image', 'video', 'document'] as const satisfies readonly TemplateHeader['type'][];
export const buttonTypes = ['url', 'quick_reply'] as const satisfies readonly TemplateButton['type'][];
export const buttonsMax = 10;

const variablesMax = 50;
/** No such name equals the name of a property that every object has. */
const variableName = /^[A-Za-z0-9][A-Za-z0-9_]{0,63}$/;

export const isTemplateName = (text: string) => /^[A-Za-z0-9_]{1,512}$/.test(text);
export const isLanguage = (text: string) => /^[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8})?$/.test(text);
export const isVariableName = (text: string) => variableName.test(text);

interface TextRule {
  /** In characters. */
  lengthMax: number;
  pattern?: RegExp;
  /** The error text, which follows the name of the field. */
  wrong: string;
}

const oneLine = /^[^\r\n\t]*$/;

/** The texts of a template, by their field. `variable`: each of `variables`. */
export const textRules = {
  variable: { lengthMax: 1024, wrong: 'must be 1 to 1024 characters' },
  text: { lengthMax: 60, pattern: oneLine, wrong: 'must be one line of at most 60 characters' },
  link: { lengthMax: 2048, pattern: /^https?:\/\/[^\s/?#]\S*$/, wrong: 'must be an http or https URL of at most 2048 characters' },
  filename: { lengthMax: 240, pattern: oneLine, wrong: 'must be one line of at most 240 characters' },
  suffix: { lengthMax: 2000, pattern: oneLine, wrong: 'must be one line of at most 2000 characters' },
  payload: { lengthMax: 256, wrong: 'must be at most 256 characters' },
} as const satisfies Record<string, TextRule>;
export type TextKind = keyof typeof textRules;

/** The fault of a text, to follow the name of its field; null if there is none. */
export function faultOfText(kind: TextKind, text: string): string | null {
  const { lengthMax, pattern, wrong }: TextRule = textRules[kind];
  return text === '' || codePoints(text) > lengthMax || pattern?.test(text) === false ? wrong : null;
}

/**
 * The fault of the variables; null if there is none.
 * @param isCheckedAfterRendering whether a value is checked after rendering, when its length is known
 */
export function faultOfTemplateVariables(
  field: string,
  variables: object,
  isCheckedAfterRendering: (value: string) => boolean,
): Fault | null {
  const entries = Object.entries(variables);
  if (entries.length > variablesMax) return { field, message: `${field} must have at most ${variablesMax} entries` };
  if (entries.some(([name]) => !isVariableName(name))) {
    return { field, message: `${field} must have names of 1 to 64 letters, digits or underscores` };
  }
  const faultOfValue = (value: unknown): string | null => {
    if (typeof value !== 'string') return 'must be a string';
    if (!isStorable(value)) return 'must be valid text';
    return isCheckedAfterRendering(value) ? null : faultOfText('variable', value);
  };
  const wrong = entries.find(([, value]) => faultOfValue(value) !== null);
  if (wrong === undefined) return null;
  const [name, value] = wrong;
  return { field: `${field}.${name}`, message: `${field}.${name} ${faultOfValue(value)}` };
}

/** One warning for each value that WhatsApp refuses in the text of a template, message by message. Other hosts may accept it. */
export const refusedValues = ({ variables = {} }: Partial<WhatsappTemplate> = {}): Fault[] =>
  Object.entries(variables)
    .filter(([, value]) => /[\r\n\t]| {5}/.test(value))
    .map(([name]) => {
      const field = `content.template.variables.${name}`;
      return { field, message: `${field} has line breaks, tabs or more than four spaces in a row, which WhatsApp refuses` };
    });

/** The part that has variables of its own; null if there is none. */
export function partApart({ header, buttons = [] }: Partial<WhatsappTemplate> = {}): 'header' | 'buttons' | null {
  if (header !== undefined) return 'header';
  return buttons.length > 0 ? 'buttons' : null;
}

/** @returns the index of a button that has variables twice; undefined if there is none */
export function doubleIndexOf(buttons: readonly ({ index?: unknown } | null)[]): number | undefined {
  const indexes = buttons.flatMap((button) => (typeof button?.index === 'number' ? [button.index] : []));
  return indexes.find((index, at) => indexes.indexOf(index) !== at);
}

/** The template with each of its texts replaced. @param replace receives the text, the path of its field, and its kind */
export function withTexts(
  { variables = {}, header, buttons, ...template }: WhatsappTemplate,
  replace: (text: string, field: string, kind: TextKind) => string,
): WhatsappTemplate {
  const replaced = <Part extends object>(part: Part, path: string): Part => {
    const each = ([name, value]: [string, unknown]) =>
      [name, isKind(name) && typeof value === 'string' ? replace(value, `${path}.${name}`, name) : value] as const;
    return Object.fromEntries(Object.entries(part).map(each)) as Part;
  };
  const path = 'content.template';
  return {
    ...template,
    variables: Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [name, replace(value, `${path}.variables.${name}`, 'variable')]),
    ),
    ...(header === undefined ? {} : { header: replaced(header, `${path}.header`) }),
    ...(buttons === undefined ? {} : { buttons: buttons.map((button, at) => replaced(button, `${path}.buttons[${at}]`)) }),
  };
}

const isKind = (name: string): name is TextKind => Object.hasOwn(textRules, name);
