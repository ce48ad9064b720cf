/** Converts a template to Meta's format. https://developers.facebook.com/docs/whatsapp/cloud-api/reference/messages#template-object */
import type { TemplateButton, TemplateHeader, WhatsappTemplate } from '../../../models/rules/messages/whatsapp-template.js';

/** Components are the parts that have values. The approved template has the rest. */
export function metaTemplate({ name, language, variables = {}, header, buttons = [] }: WhatsappTemplate): object {
  const body = bodyParameters(variables);
  const components = [
    ...(header === undefined ? [] : [{ type: 'header', parameters: [headerParameter(header)] }]),
    ...(body.length === 0 ? [] : [{ type: 'body', parameters: body }]),
    ...buttons.map(buttonComponent),
  ];
  return { name, language: { policy: 'deterministic', code: language }, ...(components.length === 0 ? {} : { components }) };
}

/** Variables named 1, 2, 3 … are positional, others are named. Meta has both kinds of templates. */
function bodyParameters(variables: Record<string, string>): object[] {
  const entries = Object.entries(variables);
  const isPositional = entries.every(([key]) => /^\d+$/.test(key));
  return isPositional
    ? entries.toSorted(([a], [b]) => Number(a) - Number(b)).map(([, value]) => ({ type: 'text', text: value }))
    : entries.map(([parameter_name, value]) => ({ type: 'text', parameter_name, text: value }));
}

function headerParameter(header: TemplateHeader): object {
  switch (header.type) {
    case 'text':
      return { type: 'text', ...(header.name === undefined ? {} : { parameter_name: header.name }), text: header.text };
    case 'image':
    case 'video':
      return { type: header.type, [header.type]: { link: header.link } };
    case 'document':
      return { type: 'document', document: { link: header.link, ...(header.filename === undefined ? {} : { filename: header.filename }) } };
  }
}

function buttonComponent(button: TemplateButton): object {
  const parameter = button.type === 'url' ? { type: 'text', text: button.suffix } : { type: 'payload', payload: button.payload };
  return { type: 'button', sub_type: button.type, index: String(button.index), parameters: [parameter] };
}
