/**
 * Templates that WhatsApp has approved: all that may be sent to somebody who has not written within 24 hours. Limits as Meta has them.
 * https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-message-templates
 */
import type { Fault } from '../../errors.js';
import { codePoints } from '../values/text.js';
import { isStorable } from '../values/text.js';

/** A template as it is asked for. With Twilio `name` is the SID of its content (HX…). */
export interface WhatsappTemplate {
  name: string;
  language: string;
  /** Of the body, with Twilio of all parts: by name, or by number from 1, as the template has them. */
  variables?: Record<string, string>;
  header?: TemplateHeader;
  /** Those that have something to fill in. */
  buttons?: TemplateButton[];
}

/** What the header shows: the value of its one variable, or a file that is fetched from the link. `name`: of a variable that has one. */
export type TemplateHeader =
  | { type: 'text'; text: string; name?: string }
  | { type: 'image' | 'video'; link: string }
  | { type: 'document'; link: string; filename?: string };

/** `index`: the button's place, from 0. `suffix`: the end of its URL. `payload`: what comes back when it is pressed. */
export type TemplateButton = { index: number } & ({ type: 'url'; suffix: string } | { type: 'quick_reply'; payload: string });

export const headerTypes = ['text', 'image', 'video', 'document'] as const satisfies readonly TemplateHeader['type'][];
export const buttonTypes = ['url', 'quick_reply'] as const satisfies readonly TemplateButton['type'][];
export const buttonsMax = 10;

const variablesMax = 50;
/** No name is like that of a property that every object has. */
const variableName = /^[A-Za-z0-9][A-Za-z0-9_]{0,63}$/;

export const isTemplateName = (text: string) => /^[A-Za-z0-9_]{1,512}$/.test(text);
export const isLanguage = (text: string) => /^[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8})?$/.test(text);
export const isVariableName = (text: string) => variableName.test(text);

interface TextRule {
  /** Characters. */
  lengthMax: number;
  pattern?: RegExp;
  /** What is said of a text that is not like that, behind its field. */
  wrong: string;
}

const oneLine = /^[^\r\n\t]*$/;

/** The texts that fill a template in, by the field that they stand in; `variable`: each of `variables`. */
export const textRules = {
  variable: { lengthMax: 1024, wrong: 'must be 1 to 1024 characters' },
  text: { lengthMax: 60, pattern: oneLine, wrong: 'must be one line of at most 60 characters' },
  link: { lengthMax: 2048, pattern: /^https?:\/\/[^\s/?#]\S*$/, wrong: 'must be an http or https URL of at most 2048 characters' },
  filename: { lengthMax: 240, pattern: oneLine, wrong: 'must be one line of at most 240 characters' },
  suffix: { lengthMax: 2000, pattern: oneLine, wrong: 'must be one line of at most 2000 characters' },
  payload: { lengthMax: 256, wrong: 'must be at most 256 characters' },
} as const satisfies Record<string, TextRule>;
export type TextKind = keyof typeof textRules;

/** What is wrong with a text, to stand behind its field; null when nothing is. */
export function faultOfText(kind: TextKind, text: string): string | null {
  const { lengthMax, pattern, wrong }: TextRule = textRules[kind];
  return text === '' || codePoints(text) > lengthMax || pattern?.test(text) === false ? wrong : null;
}

/** What is wrong with variables; null when nothing is. */
export function faultOfVariables(field: string, variables: object): Fault | null {
  const entries = Object.entries(variables);
  if (entries.length > variablesMax) return { field, message: `${field} must have at most ${variablesMax} entries` };
  if (entries.some(([name]) => !isVariableName(name))) {
    return { field, message: `${field} must have names of 1 to 64 letters, digits or underscores` };
  }
  const wrong = entries.find(([, value]) => faultOfValue(value) !== null);
  if (wrong === undefined) return null;
  const [name, value] = wrong;
  return { field: `${field}.${name}`, message: `${field}.${name} ${faultOfValue(value)}` };
}

function faultOfValue(value: unknown): string | null {
  if (typeof value !== 'string') return 'must be a string';
  return isStorable(value) ? faultOfText('variable', value) : 'must be valid text';
}

/** The part that is filled in apart from the variables; null: none is. */
export const partApart = ({ header, buttons = [] }: Partial<WhatsappTemplate> = {}): 'header' | 'buttons' | null =>
  header !== undefined ? 'header' : buttons.length > 0 ? 'buttons' : null;

/** A button is filled in once. @returns the place that comes twice; undefined: none does */
export function doubleIndexOf(buttons: readonly ({ index?: unknown } | null)[]): number | undefined {
  const indexes = buttons.flatMap((button) => (typeof button?.index === 'number' ? [button.index] : []));
  return indexes.find((index, at) => indexes.indexOf(index) !== at);
}

/** The template with each of its texts replaced. @param replace gets the text, the path of its field, and what it is */
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
