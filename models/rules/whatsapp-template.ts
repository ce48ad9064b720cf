/** Templates that WhatsApp has approved: all that may be sent to somebody who has not written within 24 hours. */
import type { Fault } from '../errors.js';
import { codePoints } from './credits.js';
import { render, type Template } from './template.js';
import { isStorable } from './text.js';

/** A template as it is asked for. With Twilio `name` is the SID of its content (HX…). */
export interface WhatsappTemplate {
  name: string;
  language: string;
  /** By name, or by number from 1, as the template has them. */
  variables?: Record<string, string>;
}

const variablesMax = 50;
const valueLengthMax = 1024;
/** No name is like that of a property that every object has. */
const variableName = /^[A-Za-z0-9][A-Za-z0-9_]{0,63}$/;

export const isTemplateName = (text: string) => /^[A-Za-z0-9_]{1,512}$/.test(text);
export const isLanguage = (text: string) => /^[A-Za-z]{2,3}([_-][A-Za-z0-9]{2,8})?$/.test(text);

/** What is wrong with variables; null when nothing is. */
export function faultOfVariables(field: string, variables: object): Fault | null {
  const entries = Object.entries(variables);
  if (entries.length > variablesMax) return { field, message: `${field} must have at most ${variablesMax} entries` };
  if (entries.some(([name]) => !variableName.test(name))) {
    return { field, message: `${field} must have names of 1 to 64 letters, digits or underscores` };
  }
  const wrong = entries.find(([, value]) => faultOfValue(value) !== null);
  if (wrong === undefined) return null;
  const [name, value] = wrong;
  return { field: `${field}.${name}`, message: `${field}.${name} ${faultOfValue(value)}` };
}

function faultOfValue(value: unknown): string | null {
  if (typeof value !== 'string') return 'must be a string';
  if (!isStorable(value)) return 'must be valid text';
  return value === '' || codePoints(value) > valueLengthMax ? `must be 1 to ${valueLengthMax} characters` : null;
}

/** A template whose variables have placeholders, to be filled in for one recipient after another. */
export interface BulkWhatsappTemplate extends Omit<WhatsappTemplate, 'variables'> {
  variables: readonly (readonly [name: string, text: Template])[];
}

/** @param compiled reads the text in a field */
export const compileVariables = (
  { variables = {}, ...template }: WhatsappTemplate,
  compiled: (field: string, source: string) => Template,
): BulkWhatsappTemplate => ({
  ...template,
  variables: Object.entries(variables).map(([name, value]) => [name, compiled(`content.template.variables.${name}`, value)] as const),
});

/** The template for one recipient, and what is wrong with it. */
export function fillIn({ variables, ...template }: BulkWhatsappTemplate, values: ReadonlyMap<string, string>) {
  const filled = Object.fromEntries(
    variables.map(([name, text]) => [name, render(text, values, { unitsMax: 2 * valueLengthMax + 1 }).text]),
  );
  const fault = faultOfVariables('content.template.variables', filled)?.message ?? null;
  return { template: { ...template, variables: filled } satisfies WhatsappTemplate, fault };
}
