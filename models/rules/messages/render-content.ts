/** The content of a single message, with its placeholders filled in by the rules of bulk sends (docs/contract/messages.md, Variables). */
import { type Channel, channelTraits, someChannel } from '../../channels.js';
import { type Fault, missingFieldText } from '../../errors.js';
import type { Content } from './content.js';
import { compileTexts, fillIn } from './compiled-whatsapp-template.js';
import { readVariables } from './given-values.js';
import { emptiedFault, faultOfTexts, isSubject, lengthText, subjectText, textUnitsMax } from './content-limits.js';
import { countPlaceholders, missingFrom, readTemplate, render, type Template } from './template.js';
import { escapeHtml } from '../values/html.js';

/** Texts that may have placeholders, without those of a WhatsApp template. */
const textFields = ['text', 'subject', 'html'] as const;

export interface Rendered {
  content: Content;
  faults: Fault[];
}

/**
 * Fills in the placeholders.
 * @param channels all channels on which the content may be sent: the message's own and those of its fallback
 * @returns the content. It is not usable if there are faults
 */
export function renderContent(content: Content, variables: object, channels: readonly Channel[]): Rendered {
  const faults: Fault[] = [];
  const values = readVariables(variables, '', faults);
  const missing = new Set<string>();
  const compiled = (field: string, source: string): Template => {
    const template = readTemplate(field, source, faults);
    for (const name of missingFrom(template, values)) missing.add(name);
    return template;
  };
  const rendered = { ...content };
  const longest = channelWithLongestText(channels);
  for (const name of textsSentOn(channels)) {
    const source = content[name];
    if (source === undefined) continue;
    const filled = render(compiled(`content.${name}`, source), values, {
      unitsMax: textUnitsMax(longest),
      ...(name === 'html' ? { escape: escapeHtml } : {}),
    });
    rendered[name] = filled.text;
    if (filled.isCut) faults.push({ field: 'content.text', message: lengthText(longest) });
  }
  const hasTemplates = channels.some((channel) => channelTraits[channel].hasApprovedTemplates);
  const approved = content.template === undefined || !hasTemplates ? null : compileTexts(content.template, compiled, faults);
  faults.push(...faultsOfMissing(missing, faults));
  if (faults.length > 0) return { content, faults };
  if (approved === null) return { content: rendered, faults: faultsOfRendered(rendered, channels) };
  const { template, fault } = fillIn(approved, values);
  const wrong = fault === null ? [] : [{ field: 'content.template', message: fault }];
  return { content: { ...rendered, template }, faults: [...faultsOfRendered(rendered, channels), ...wrong] };
}

/** The values that are unusable, whether the content needs them or not. */
export function faultsOfVariables(variables: object): Fault[] {
  const faults: Fault[] = [];
  readVariables(variables, '', faults);
  return faults;
}

const channelWithLongestText = (channels: readonly Channel[]): Channel =>
  channels.reduce((one, other) => (textUnitsMax(other) > textUnitsMax(one) ? other : one), channels[0] ?? someChannel);

/** The texts that are sent on one of the channels. Others are not checked. */
const textsSentOn = (channels: readonly Channel[]) =>
  channels.some((channel) => channelTraits[channel].hasMailFields) ? textFields : (['text'] as const);

/** A variable that is given, but not usable, has a fault already. */
function faultsOfMissing(names: Iterable<string>, known: readonly Fault[]): Fault[] {
  const faulty = new Set(known.map(({ field }) => field));
  const fields = [...names].map((name) => `variables.${name}`).filter((field) => !faulty.has(field));
  return fields.map((field) => ({ field, message: missingFieldText(field) }));
}

/** The faults that can be found only with the values. */
function faultsOfRendered({ text, subject, html }: Content, channels: readonly Channel[]): Fault[] {
  if (text === '') return [emptiedFault];
  const tooLong = channels.map((channel) => faultOfTexts(channel, text, html)).find((fault) => fault !== null);
  const length = tooLong === undefined ? [] : [{ field: 'content.text', message: tooLong }];
  return subject === undefined || isSubject(subject) ? length : [...length, { field: 'content.subject', message: subjectText }];
}

/** One warning for each text that contains placeholders and is sent as it is. */
export const literalPlaceholders = (content: Content): Fault[] =>
  textFields.flatMap((name) => {
    const field = `content.${name}`;
    if (countPlaceholders(content[name] ?? '', 1) === 0) return [];
    return [{ field, message: `${field} has placeholders, which are sent literally unless variables are given` }];
  });
