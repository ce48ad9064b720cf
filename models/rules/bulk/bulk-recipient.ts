/** One recipient of a bulk send: from the request to the message, or to all its faults. */
import type { Channel } from '../../channels.js';
import { type Fault, missingFieldText, unknownFieldText } from '../../errors.js';
import type { Content } from '../messages/message-content.js';
import { addressOf, type BulkContact, namedContact, valuesOf } from './bulk-contact.js';
import type { BulkTemplates } from './bulk-templates.js';
import { fillIn } from './bulk-whatsapp-template.js';
import { faultOfTexts, isReference, isSubject, lengthText, subjectText, textUnitsMax } from '../messages/content.js';
import { priceOf } from '../billing/credits.js';
import { faultOfMetadata } from '../values/metadata.js';
import { faultOfRecipient } from '../messages/recipient.js';
import { carrierView } from '../messages/segments.js';
import { lookAlike } from '../values/look-alike.js';
import { escapeHtml, missingFrom, render } from '../messages/template.js';
import { isStorable } from '../values/text.js';

/** A message of a bulk send, before it becomes a row. */
export interface BulkMessage {
  to: string;
  content: Content;
  metadata: Record<string, unknown> | null;
  reference: string | null;
  /** Thousandths of a credit. */
  cost: number;
  segments: number | null;
  encoding: string | null;
}

export interface ReadRecipient {
  /** For a recipient with faults: what could be read. It must not be sent. */
  message: BulkMessage;
  faults: Fault[];
  /** The path of the recipient's field: `recipients[3].to`. */
  field: string;
}

type Given = Record<string, unknown>;
type Values = ReadonlyMap<string, string>;

const faultsMax = 50;
const fieldShownMax = 200;
/** More than the maximum length of a subject. */
const subjectUnitsMax = 2000;

/**
 * Reads `"+15551234567"` or `{to | contact_id, variables?, metadata?, reference?}`. Every other scalar of the object is a variable too.
 * `variables` has precedence over those, and both over the data of the contact.
 */
export function readRecipient(templates: BulkTemplates, given: unknown, index: number): ReadRecipient {
  const path = templates.isOfTag && isObject(given) ? `contacts[${String(given.contact_id)}]` : `recipients[${index}]`;
  const row = typeof given === 'string' ? { to: given } : (given ?? {});
  if (!isObject(row)) return { message: nothing, faults: [{ field: path, message: `${path} must be an object` }], field: path };
  const faults: Fault[] = [];
  const named = namedContact(row);
  const field = named === undefined ? `${path}.to` : `${path}.contact_id`;
  const { to, contact } = named === undefined ? readTo(templates.channel, row, path, faults) : readContact(templates, named, path, faults);
  const values = readValues(row, contact, path, faults);
  const metadata = readMetadata(row, path, faults) ?? templates.metadata;
  const reference = readReference(row, path, faults) ?? templates.reference;
  // The values of a contact that was not looked up or not found are unknown.
  if (named !== undefined && contact === undefined) return { message: { ...nothing, to }, faults: faults.slice(0, faultsMax), field };
  for (const name of missingVariables(templates, values)) {
    const isWrong = faults.some(({ field: at }) => at === `${path}.variables.${name}` || at === `${path}.${name}`); // given, but not usable
    if (!isWrong) faults.push(faultAt(`${path}.variables.${name}`, missingFieldText));
  }
  if (templates.channel === null) return { message: { ...nothing, to }, faults: faults.slice(0, faultsMax), field };
  const { content, fault } = renderContent(templates, templates.channel, values);
  // The length of a text without all its values has no meaning.
  if (fault !== null && faults.length === 0) faults.push({ field: path, message: fault });
  const price =
    faults.length > 0 ? null : { cost: priceOf(templates.channel, content.text), ...carrierView(templates.channel, content.text) };
  return { message: { ...nothing, to, content, metadata, reference, ...price }, faults: faults.slice(0, faultsMax), field };
}

const nothing: BulkMessage = { to: '', content: { text: '' }, metadata: null, reference: null, cost: 0, segments: null, encoding: null };

/** A recipient's place in the request, and the contact that it names. */
interface Whom {
  to: string;
  contact?: BulkContact | undefined;
}

function readContact({ contacts, channel }: BulkTemplates, named: unknown, path: string, faults: Fault[]): Whom {
  const { contact, to, fault } = addressOf(contacts, named, channel, `${path}.contact_id`);
  if (fault !== null) faults.push(fault);
  return { to: to ?? '', contact };
}

function readTo(channel: Channel | null, row: Given, path: string, faults: Fault[]): Whom {
  const field = `${path}.to`;
  const to = readText(row.to, field, faults);
  if (to === '') faults.push(faultAt(field, missingFieldText));
  const wrong = to === null || to === '' || channel === null ? null : faultOfRecipient(channel, to);
  if (wrong !== null) faults.push({ field, message: wrong });
  return { to: to ?? '' };
}

/** The text; empty if it is absent; null if it is not a text, which is a fault. */
function readText(value: unknown, field: string, faults: Fault[]): string | null {
  if (value === undefined || value === null) return '';
  if (typeof value === 'string' && isStorable(value)) return value;
  faults.push(faultOfNoText(field, value));
  return null;
}

const faultOfNoText = (field: string, value: unknown): Fault =>
  faultAt(field, (at) => `${at} must be ${typeof value === 'string' ? 'valid text' : 'a string'}`);

function readValues(
  { to: _, variables, metadata: _m, reference: _r, ...others }: Given,
  contact: BulkContact | undefined,
  path: string,
  faults: Fault[],
): Values {
  const values = contact === undefined ? new Map<string, string>() : valuesOf(contact);
  for (const [name, value] of Object.entries(others)) {
    // A value that is neither scalar nor declared is an unknown field: a fault if it resembles a known one, otherwise ignored.
    if (typeof value !== 'object') putValue(values, name, value, `${path}.${name}`, faults);
    else if (value !== null) refuseLookAlike(name, path, faults);
  }
  if (variables === undefined || variables === null) return values;
  if (!isObject(variables)) faults.push(faultAt(`${path}.variables`, (at) => `${at} must be an object`));
  else for (const [name, value] of readVariables(variables, `${path}.`, faults)) values.set(name, value);
  return values;
}

/** The values of a `variables` object. @param path the path before it, with its dot @param faults receives the faults */
export function readVariables(variables: object, path: string, faults: Fault[]): Values {
  const values = new Map<string, string>();
  for (const [name, value] of Object.entries(variables)) putValue(values, name, value, `${path}variables.${name}`, faults);
  return values;
}

export const fieldsOfRecipient = ['to', 'contact_id', 'variables', 'metadata', 'reference'];

function refuseLookAlike(name: string, path: string, faults: Fault[]): void {
  const meant = lookAlike(name, fieldsOfRecipient);
  if (meant !== undefined && meant !== name) faults.push(faultAt(`${path}.${name}`, (at) => unknownFieldText(at, `${path}.${meant}`)));
}

function putValue(values: Map<string, string>, name: string, value: unknown, field: string, faults: Fault[]): void {
  if (value === null) return;
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) values.set(name, String(value));
  else if (typeof value === 'string' && isStorable(value)) values.set(name, value);
  else if (typeof value === 'number') faults.push(faultAt(field, (at) => `${at} must be a number`));
  else faults.push(faultOfNoText(field, value));
}

function readMetadata({ metadata }: Given, path: string, faults: Fault[]): Record<string, unknown> | null {
  if (metadata === undefined || metadata === null) return null;
  const field = `${path}.metadata`;
  const fault = isObject(metadata) ? faultOfMetadata(field, metadata) : { field, message: `${field} must be an object` };
  if (fault !== null) faults.push(fault);
  return isObject(metadata) ? metadata : null;
}

function readReference({ reference }: Given, path: string, faults: Fault[]): string | null {
  if (reference === undefined || reference === null) return null;
  const field = `${path}.reference`;
  const text = readText(reference, field, faults);
  if (text !== null && !isReference(text)) faults.push({ field, message: `${field} must be 1 to 255 characters` });
  return text;
}

function missingVariables({ text, subject, html, whatsapp }: BulkTemplates, values: Values): string[] {
  const missing = missingFrom(text, values);
  if (subject === null && html === null && whatsapp === null) return missing;
  const others = [subject, html, ...(whatsapp?.texts.values() ?? [])];
  const more = others.flatMap((template) => (template === null ? [] : missingFrom(template, values)));
  return [...new Set([...missing, ...more])];
}

/** The texts for one recipient, and their faults. Texts that are too long are cut. */
function renderContent(templates: BulkTemplates, channel: Channel, values: Values): { content: Content; fault: string | null } {
  const unitsMax = textUnitsMax(channel);
  const text = render(templates.text, values, { unitsMax });
  const html = templates.html && render(templates.html, values, { unitsMax, escape: escapeHtml });
  const subject = templates.subject && render(templates.subject, values, { unitsMax: subjectUnitsMax });
  const whatsapp = templates.whatsapp && fillIn(templates.whatsapp, values);
  const content: Content = {
    text: text.text,
    ...(whatsapp === null ? {} : { template: whatsapp.template }),
    ...(subject === null ? {} : { subject: subject.text }),
    ...(html === null ? {} : { html: html.text }),
    ...(templates.unsubscribe ? { unsubscribe: true } : {}),
  };
  if (text.text === '') return { content, fault: templates.text.malformed === null ? missingFieldText('content.text') : null }; // else malformed
  if (text.isCut || html?.isCut === true) return { content, fault: lengthText(channel) };
  const wrongSubject = subject === null || isSubject(subject.text) ? null : subjectText;
  return { content, fault: faultOfTexts(channel, text.text, html?.text) ?? wrongSubject ?? whatsapp?.fault ?? null };
}

const isObject = (value: unknown): value is Given => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The client chooses these names. They are shown so that the answer stays readable, and can be stored. */
function faultAt(field: string, text: (field: string) => string): Fault {
  const shown = field.slice(0, fieldShownMax).replaceAll('\0', '').toWellFormed();
  return { field: shown, message: text(shown) };
}
