/** What the user changed of a contact. Only that is sent, so that nothing overwrites what programs changed or what a form cannot show. */
import type { Schema } from '../../api/call.js';
import { phoneText } from '../../parts/message-fields.js';
import { textOf } from '../../state/form.js';
import { tagsIn, tagsText } from './mapping.js';

export type ContactFields = Pick<Schema<'Contact'>, 'name' | 'phone' | 'email' | 'tags' | 'custom_fields'>;
type CustomFields = ContactFields['custom_fields'];

export interface ContactChange {
  /** Without those that were not changed; null clears a field. */
  fields: Pick<Schema<'UpdateContactRequest'>, 'name' | 'phone' | 'email' | 'tags'>;
  /** Makes the change in the stored custom fields, because the API replaces all of them together. Null: none was changed. */
  custom: ((stored: CustomFields) => CustomFields) | null;
}

/** A form sends a line break in its own way. */
const withLines = (text: string): string => text.replaceAll(/\r\n?/g, '\n');
/** An input of one line shows a text without its line breaks. */
const inOneLine = (text: string): string => text.replaceAll(/[\r\n]/g, '');

/** A custom value as the form shows it. */
export const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** @param shown the contact as the form showed it at first */
export function changeOf(data: FormData, shown: ContactFields): ContactChange {
  const given = (name: 'name' | 'phone' | 'email') => (name === 'phone' ? phoneText(textOf(data, name)) : textOf(data, name));
  const changed = (['name', 'phone', 'email'] as const).filter((name) => given(name) !== inOneLine(shown[name] ?? ''));
  const tags = withLines(textOf(data, 'tags'));
  const fields = Object.fromEntries(changed.map((name) => [name, given(name).trim() || null]));
  return {
    fields: { ...fields, ...(tags === withLines(tagsText(shown.tags)) ? {} : { tags: tagsIn(tags) }) },
    custom: customChange(data, shown.custom_fields),
  };
}

function customChange(data: FormData, shown: CustomFields): ContactChange['custom'] {
  const values = data.getAll('custom_value') as string[];
  const before = Object.entries(shown);
  const changes = (data.getAll('custom_name') as string[]).flatMap((given, at) => {
    const [was, value] = before[at] ?? [null, ''];
    const text = withLines(values[at] ?? '');
    const hasSameName = was !== null && given === inOneLine(was);
    const hasSameValue = text === withLines(valueText(value));
    const isUnchanged = was === null ? given.trim() === '' : hasSameName && hasSameValue;
    if (isUnchanged) return [];
    // Programs also store numbers and lists. A field that only gets another name keeps them.
    return [{ was, name: hasSameName ? was : given.trim(), value: hasSameValue ? value : text }];
  });
  if (changes.length === 0) return null;
  return (stored) => {
    const fields = new Map(Object.entries(stored));
    for (const { was, name } of changes) if (was !== null && was !== name) fields.delete(was);
    for (const { name, value } of changes) if (name !== '') fields.set(name, value);
    return Object.fromEntries(fields);
  };
}
