/** One recipient of a bulk send: from the request to the message, or to all its faults. */
import type { Channel } from '../../channels.js';
import { type Fault, missingFieldText, unknownFieldText } from '../../errors.js';
import type { Content } from '../messages/content.js';
import { recipientAddressOf, type BulkContact, namedContact, valuesOf } from './bulk-contact.js';
import type { BulkTemplates } from './bulk-templates.js';
import { fillIn } from '../messages/compiled-whatsapp-template.js';
import { faultAt, readText, readValue, readVariables, type Values } from '../messages/given-values.js';
import { emptiedFault, faultOfTexts, isReference, isSubject, lengthText, subjectText, textUnitsMax } from '../messages/content-limits.js';
import { priceOf } from '../billing/credits.js';
import { faultOfMetadata } from '../values/metadata.js';
import { faultOfRecipient } from '../messages/recipient.js';
import { carrierView } from '../messages/segments.js';
import { lookAlike } from '../values/look-alike.js';
import { missingFrom, render } from '../messages/template.js';
import { escapeHtml } from '../values/html.js';

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

/** The recipient in the request, and what is wrong with it so far. */
interface Reading {
  row: Given;
  path: string;
  faults: Fault[];
}

const faultsMax = 50;
/** More than the maximum length of a subject. */
const subjectUnitsMax = 2000;

const nothing: BulkMessage = { to: '', content: { text: '' }, metadata: null, reference: null, cost: 0, segments: null, encoding: null };

/**
 * Reads `"+15551234567"` or `{to | contact_id, variables?, metadata?, reference?}`. Every other scalar of the object is a variable too.
 * `variables` has precedence over those, and both over the data of the contact.
 */
export function readRecipient(templates: BulkTemplates, given: unknown, index: number): ReadRecipient {
  const path = templates.isOfTag && isObject(given) ? `contacts[${String(given.contact_id)}]` : `recipients[${index}]`;
  const row = typeof given === 'string' ? { to: given } : (given ?? {});
  if (!isObject(row)) return { message: nothing, faults: [{ field: path, message: `${path} must be an object` }], field: path };
  const reading: Reading = { row, path, faults: [] };
  const named = namedContact(row);
  const recipient = named === undefined ? readTo(reading, templates.channel) : readContact(reading, templates, named);
  const message = { ...nothing, to: recipient.to, ...readRest(reading, templates, recipient) };
  return { message, faults: reading.faults.slice(0, faultsMax), field: named === undefined ? `${path}.to` : `${path}.contact_id` };
}

/** Everything but the recipient's address, as far as it can be read. */
function readRest(reading: Reading, templates: BulkTemplates, { contact, isKnown }: ResolvedRecipient): Partial<BulkMessage> {
  const { path, faults } = reading;
  const { channel } = templates;
  const values = readValues(reading, contact);
  const metadata = readMetadata(reading) ?? templates.metadata;
  const reference = readReference(reading) ?? templates.reference;
  if (!isKnown) return {}; // its values are unknown
  faults.push(...faultsOfMissing(reading, missingVariables(templates, values)));
  if (channel === null) return {};
  const { content, fault } = renderFor(templates, channel, values);
  // The length of a text without all its values has no meaning. A fault of the common texts is reported once, not for each recipient.
  if (fault !== null && faults.length === 0 && !templates.hasWrongTexts) faults.push({ field: path, message: fault });
  const price = faults.length > 0 ? null : { cost: priceOf(channel, content.text), ...carrierView(channel, content.text) };
  return { content, metadata, reference, ...price };
}

/** The address of the recipient, and its contact. */
interface ResolvedRecipient {
  to: string;
  contact?: BulkContact | undefined;
  /** False if the recipient is a contact that was not looked up or not found. */
  isKnown: boolean;
}

function readContact({ path, faults }: Reading, { contacts, channel }: BulkTemplates, named: unknown): ResolvedRecipient {
  const { contact, to, fault } = recipientAddressOf(contacts, named, channel, `${path}.contact_id`);
  if (fault !== null) faults.push(fault);
  return { to: to ?? '', contact, isKnown: contact !== undefined };
}

function readTo({ row, path, faults }: Reading, channel: Channel | null): ResolvedRecipient {
  const field = `${path}.to`;
  const to = readText(row.to, field, faults);
  if (to === '') faults.push(faultAt(field, missingFieldText));
  const wrong = to === null || to === '' || channel === null ? null : faultOfRecipient(channel, to);
  if (wrong !== null) faults.push({ field, message: wrong });
  return { to: to ?? '', isKnown: true };
}

function readValues({ row, path, faults }: Reading, contact: BulkContact | undefined): Values {
  const { to: _, variables, metadata: _m, reference: _r, ...others } = row;
  const values = contact === undefined ? new Map<string, string>() : valuesOf(contact);
  for (const [name, value] of Object.entries(others)) {
    // A value that is neither scalar nor declared is an unknown field: a fault if it resembles a known one, otherwise ignored.
    if (typeof value === 'object') {
      if (value !== null) refuseLookAlike(name, path, faults);
      continue;
    }
    const text = readValue(value, `${path}.${name}`, faults);
    if (text !== null) values.set(name, text);
  }
  if (variables === undefined || variables === null) return values;
  if (!isObject(variables)) faults.push(faultAt(`${path}.variables`, (at) => `${at} must be an object`));
  else for (const [name, value] of readVariables(variables, `${path}.`, faults)) values.set(name, value);
  return values;
}

export const fieldsOfRecipient = ['to', 'contact_id', 'variables', 'metadata', 'reference'] as const;

function refuseLookAlike(name: string, path: string, faults: Fault[]): void {
  const meant = lookAlike(name, fieldsOfRecipient);
  if (meant !== undefined && meant !== name) faults.push(faultAt(`${path}.${name}`, (at) => unknownFieldText(at, `${path}.${meant}`)));
}

function readMetadata({ row: { metadata }, path, faults }: Reading): Record<string, unknown> | null {
  if (metadata === undefined || metadata === null) return null;
  const field = `${path}.metadata`;
  const fault = isObject(metadata) ? faultOfMetadata(field, metadata) : { field, message: `${field} must be an object` };
  // The path goes on with a key that the client chose.
  if (fault !== null) faults.push(faultAt(fault.field, (at) => at + fault.message.slice(fault.field.length)));
  return isObject(metadata) ? metadata : null;
}

function readReference({ row: { reference }, path, faults }: Reading): string | null {
  if (reference === undefined || reference === null) return null;
  const field = `${path}.reference`;
  const text = readText(reference, field, faults);
  if (text !== null && !isReference(text)) faults.push({ field, message: `${field} must be 1 to 255 characters` });
  return text;
}

/** A variable that is given, but not usable, has a fault already. */
function faultsOfMissing({ path, faults }: Reading, names: readonly string[]): Fault[] {
  const known = new Set(faults.map(({ field }) => field));
  const unnamed = names.filter((name) => !known.has(`${path}.variables.${name}`) && !known.has(`${path}.${name}`));
  return unnamed.map((name) => faultAt(`${path}.variables.${name}`, missingFieldText));
}

function missingVariables({ text, subject, html, whatsapp }: BulkTemplates, values: Values): string[] {
  const missing = missingFrom(text, values);
  if (subject === null && html === null && whatsapp === null) return missing;
  const others = [subject, html, ...(whatsapp?.texts.values() ?? [])];
  const more = others.flatMap((template) => (template === null ? [] : missingFrom(template, values)));
  return [...new Set([...missing, ...more])];
}

/** The texts for one recipient, and their faults. Texts that are too long are cut. */
function renderFor(templates: BulkTemplates, channel: Channel, values: Values): { content: Content; fault: string | null } {
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
  if (text.text === '') return { content, fault: templates.text.malformed === null ? emptiedFault.message : null }; // else malformed
  if (text.isCut || html?.isCut === true) return { content, fault: lengthText(channel) };
  const wrongSubject = subject === null || isSubject(subject.text) ? null : subjectText;
  return { content, fault: faultOfTexts(channel, text.text, html?.text) ?? wrongSubject ?? whatsapp?.fault ?? null };
}

const isObject = (value: unknown): value is Given => typeof value === 'object' && value !== null && !Array.isArray(value);
