/** The common parts of all messages of a bulk send. */
import { type Channel, channelTraits } from '../../channels.js';
import type { Fault } from '../../errors.js';
import type { BulkContacts } from './bulk-contact.js';
import type { Content } from '../messages/content.js';
import { type CompiledWhatsappTemplate, compileTexts } from '../messages/compiled-whatsapp-template.js';
import { faultOfTexts, isSubject, subjectText, textUnitsMax } from '../messages/content-limits.js';
import { readTemplate, type Template } from '../messages/template.js';

/** The request of a bulk send. Everything except its recipients was checked. */
export interface BulkRequest {
  /** Null: an unknown channel. Then the recipients are checked as far as possible. */
  channel: Channel | null;
  content: Content;
  recipients: readonly unknown[];
  /** For every message whose recipient has none of its own, like `reference`. */
  metadata?: Record<string, unknown> | undefined;
  reference?: string | undefined;
  /** The recipients are the contacts with this tag. */
  tag?: string | undefined;
  contacts?: BulkContacts;
  on_invalid?: 'reject' | 'skip' | undefined;
  allow_duplicates?: boolean | undefined;
}

export interface BulkTemplates {
  channel: Channel | null;
  text: Template;
  subject: Template | null;
  html: Template | null;
  whatsapp: CompiledWhatsappTemplate | null;
  unsubscribe: boolean;
  /** What all messages share makes each of them too long or its subject wrong. */
  hasWrongTexts: boolean;
  metadata: Record<string, unknown> | null;
  reference: string | null;
  contacts: BulkContacts;
  isOfTag: boolean;
}

/** A placeholder can be longer than its value, so a template may be longer than a text, up to this length. */
const sourceUnitsMax = (channel: Channel | null) => Math.max(16_000, channel === null ? 0 : 2 * textUnitsMax(channel));

/** Reads the texts of the request once, and checks what does not depend on the recipient. */
export function compileBulk({ channel, content, metadata, reference, contacts, tag }: BulkRequest): {
  templates: BulkTemplates;
  faults: Fault[];
} {
  const faults: Fault[] = [];
  const compiled = (field: string, source: string) => {
    const isTooLong = source.length > sourceUnitsMax(channel);
    if (isTooLong) faults.push({ field, message: `${field} must be at most ${sourceUnitsMax(channel)} characters` });
    return readTemplate(field, isTooLong ? '' : source, faults);
  };
  const optional = (name: 'subject' | 'html') => {
    const source = content[name];
    return source === undefined ? null : compiled(`content.${name}`, source);
  };
  const text = compiled('content.text', content.text);
  const { hasMailFields = false, hasApprovedTemplates = false } = channel === null ? {} : channelTraits[channel];
  const subject = hasMailFields ? optional('subject') : null;
  const html = hasMailFields ? optional('html') : null;
  const whatsapp = hasApprovedTemplates && content.template !== undefined ? compileTexts(content.template, compiled, faults) : null;
  const wrong = channel === null ? [] : faultsOfLiterals(channel, { text, subject, html });
  faults.push(...wrong);
  const unsubscribe = hasMailFields && content.unsubscribe === true;
  const templates = {
    channel,
    text,
    subject,
    html,
    whatsapp,
    unsubscribe,
    hasWrongTexts: wrong.length > 0,
    metadata: metadata ?? null,
    reference: reference ?? null,
    contacts,
    isOfTag: tag !== undefined,
  };
  return { templates, faults };
}

/** The faults that the texts have for every recipient. */
function faultsOfLiterals(channel: Channel, { text, subject, html }: Pick<BulkTemplates, 'text' | 'subject' | 'html'>): Fault[] {
  const tooLong = faultOfTexts(channel, literalOf(text), html === null ? undefined : literalOf(html));
  return [
    ...(tooLong === null ? [] : [{ field: 'content.text', message: tooLong }]),
    ...(subject === null || isSubject(literalOf(subject)) ? [] : [{ field: 'content.subject', message: subjectText }]),
  ];
}

/** The literal parts, which every rendered text contains. */
const literalOf = ({ parts }: Template) => parts.filter((part) => typeof part === 'string').join('');
