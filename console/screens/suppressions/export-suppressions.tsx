/** The suppressions as CSV: a column for each field, with the names and values of the API. */
import { call, type Query } from '../../api/call.js';
import type { Cell } from '../../csv/save-csv.js';
import { ExportButton } from '../../parts/export-button.js';
import type { Page } from '../../parts/table.js';
import type { Loaded } from '../../state/load.js';
import type { Suppression } from './reasons.js';

const header = [
  'recipient',
  'channel',
  'reason',
  'source',
  'message_id',
  'created_at',
  'expires_at',
] as const satisfies readonly (keyof Suppression)[];

const cells = (suppression: Suppression): Cell[] => header.map((name) => suppression[name]);

export function ExportSuppressions({ of, filters }: { of: Loaded<Page<unknown>>; filters: Query<'/api/v1/suppressions', 'get'> }) {
  const read = async (cursor: string | undefined, signal: AbortSignal) => {
    const { suppressions, pagination } = await call('get', '/api/v1/suppressions', { query: { ...filters, cursor, limit: 100 }, signal });
    return { rows: suppressions, pagination };
  };
  return <ExportButton of={of} name="suppressions" header={header} cells={cells} read={read} />;
}
