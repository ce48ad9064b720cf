/** A WhatsApp template whose texts have placeholders, for many recipients. */
import type { Fault } from '../../errors.js';
import { render, type Template } from './template.js';
import { faultOfText, textRules, type WhatsappTemplate, withTexts } from './whatsapp-template.js';

export interface CompiledWhatsappTemplate {
  template: WhatsappTemplate;
  /** By the path of the field. */
  texts: ReadonlyMap<string, Template>;
}

/**
 * Reads the texts once, and checks those that are the same for all recipients.
 * @param compiled reads the text in a field
 * @param faults receives the faults
 * @returns null if there are faults, which every recipient would repeat
 */
export function compileTexts(
  template: WhatsappTemplate,
  compiled: (field: string, source: string) => Template,
  faults: Fault[],
): CompiledWhatsappTemplate | null {
  const texts = new Map<string, Template>();
  const before = faults.length;
  const read = withTexts(template, (source, field, kind) => {
    const text = compiled(field, source);
    texts.set(field, text);
    const wrong = isLiteral(text) ? faultOfText(kind, render(text, new Map()).text) : null;
    if (wrong !== null) faults.push({ field, message: `${field} ${wrong}` });
    return source;
  });
  return faults.length > before ? null : { template: read, texts };
}

/** A text that could not be read has no parts, and has a fault already. */
const isLiteral = ({ parts, malformed }: Template) =>
  parts.length > 0 && malformed === null && parts.every((part) => typeof part === 'string');

/** The template for one recipient, and its faults. */
export function fillIn({ template, texts }: CompiledWhatsappTemplate, values: ReadonlyMap<string, string>) {
  const faults: string[] = [];
  const filled = withTexts(template, (source, field, kind) => {
    const read = texts.get(field);
    const text = read === undefined ? source : render(read, values, { unitsMax: 2 * textRules[kind].lengthMax + 1 }).text;
    const wrong = faultOfText(kind, text);
    if (wrong !== null) faults.push(`${field} ${wrong}`);
    return text;
  });
  return { template: filled, fault: faults[0] ?? null };
}
