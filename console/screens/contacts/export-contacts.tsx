/** The contacts as CSV: a column for each field, tags separated by commas, custom fields as JSON. */
import { call, type Query, type Schema } from '../../api/call.js';
import type { Cell } from '../../csv/save-csv.js';
import { ExportButton } from '../../parts/export-button.js';
import type { Page } from '../../parts/table.js';
import type { Loaded } from '../../state/load.js';
import { tagsText } from './mapping.js';

const header = ['name', 'phone', 'email', 'tags', 'custom_fields', 'created_at'] as const;

const cells = ({ name, phone, email, tags, custom_fields: custom, created_at }: Schema<'Contact'>): Cell[] => [
  name,
  phone,
  email,
  tagsText(tags),
  Object.keys(custom).length === 0 ? '' : JSON.stringify(custom),
  created_at,
];

export function ExportContacts({ of, filters }: { of: Loaded<Page<unknown>>; filters: Query<'/api/v1/contacts', 'get'> }) {
  const read = async (cursor: string | undefined, signal: AbortSignal) => {
    const { contacts, pagination } = await call('get', '/api/v1/contacts', { query: { ...filters, cursor, limit: 100 }, signal });
    return { rows: contacts, pagination };
  };
  return <ExportButton of={of} name="contacts" header={header} cells={cells} read={read} />;
}
