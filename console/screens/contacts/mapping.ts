/** How the columns of a CSV file become fields of contacts: by their names. */
import type { Schema } from '../../api/call.js';
import { emailNames, phoneNames } from '../../csv/column-names.js';
import type { Sheet, SheetRow } from '../../csv/read-csv.js';

export type NewContact = Schema<'CreateContactRequest'>;

/** A field of the contact, a custom field with the name of the column, or nothing. */
type Target = 'name' | 'phone' | 'email' | 'tags' | 'custom_fields' | 'custom' | 'none';

/** Names in lower case, without spaces, signs and digits: `Phone 1` is `phone`. */
const names: Readonly<Record<Exclude<Target, 'custom' | 'none'>, readonly string[]>> = {
  name: ['name', 'fullname', 'contact'],
  phone: [...phoneNames, 'to'],
  email: emailNames,
  tags: ['tags', 'tag'],
  custom_fields: ['customfields'],
};
/** Columns in files that the console wrote, in lower case. They are not imported, because the service sets them itself. */
const ofConsole = new Set(['id', 'created_at', 'updated_at', 'reason']);
const targets = new Map(Object.entries(names).flatMap(([target, known]) => known.map((name) => [name, target as Target] as const)));

export interface Mapping {
  targets: readonly Target[];
  /** Whether a column has phone numbers or e-mail addresses: without one no row can be imported. */
  isReachable: boolean;
}

/** The first column for a field gets it; further ones become custom fields. */
export function mappingOf({ columns }: Sheet): Mapping {
  const taken = new Set<Target>();
  const found = columns.map((column): Target => {
    if (ofConsole.has(column.toLowerCase())) return 'none';
    const target = targets.get(column.toLowerCase().replaceAll(/[^a-z]/g, '')) ?? 'custom';
    if (target === 'custom') return target;
    if (taken.has(target)) return 'custom';
    taken.add(target);
    return target;
  });
  return { targets: found, isReachable: taken.has('phone') || taken.has('email') };
}

/**
 * The contact of a row. Empty cells are left out.
 * @throws Error with the reason, if a cell cannot be read
 */
export function contactOf({ cells, isTooLong }: SheetRow, { columns }: Sheet, { targets: given }: Mapping): NewContact {
  if (isTooLong) throw new Error('The row has more cells than there are columns');
  const contact: NewContact = {};
  // A map, because a column may be named `__proto__`.
  const custom = new Map<string, unknown>();
  for (const [index, target] of given.entries()) {
    const cell = cells[index] ?? '';
    if (cell === '' || target === 'none') continue;
    switch (target) {
      case 'custom':
        custom.set(columns[index] ?? '', cell);
        break;
      case 'custom_fields':
        for (const [name, value] of Object.entries(fieldsIn(cell))) custom.set(name, value);
        break;
      case 'tags':
        contact.tags = tagsIn(cell);
        break;
      case 'name':
      case 'phone':
      case 'email':
        contact[target] = cell;
    }
  }
  return custom.size === 0 ? contact : { ...contact, custom_fields: Object.fromEntries(custom) };
}

function fieldsIn(cell: string): object {
  try {
    const value: unknown = JSON.parse(cell);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // It is refused below.
  }
  throw new Error('custom_fields must be a JSON object');
}

/** Texts between commas or semicolons. One in quotation marks may contain them; a quotation mark inside is written twice. */
const tagPattern = /\s*(?:"((?:[^"]|"")*)"\s*(?=[,;]|$)|([^,;]*))(?:[,;]|$)/g;

/** The tags of a text, without empty ones. */
export const tagsIn = (text: string): string[] =>
  [...text.matchAll(tagPattern)]
    .map(([, quoted, plain = '']) => (quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"')))
    .filter((tag) => tag !== '');

/** The text from which `tagsIn` makes these tags again. */
export const tagsText = (tags: readonly string[]): string =>
  tags.map((tag) => (/[,;]|^"|^\s|\s$/.test(tag) ? `"${tag.replaceAll('"', '""')}"` : tag)).join(', ');
