/** The messages as CSV, without their texts: a column for each field of the list. */
import { call, type Schema } from '../../api/call.js';
import type { Cell } from '../../csv/save-csv.js';
import { ExportButton } from '../../parts/export-button.js';
import type { Page } from '../../parts/table.js';
import type { Loaded } from '../../state/load.js';
import { asQuery, type Filters } from './filters.js';

const header = [
  'id',
  'created_at',
  'channel',
  'to',
  'status',
  'status_detail',
  'error_code',
  'error_message',
  'credits_used',
  'segments',
  'reference',
  'batch_id',
  'scheduled_at',
  'sent_at',
  'delivered_at',
  'failed_at',
  'read_at',
] as const satisfies readonly (keyof Schema<'Message'>)[];

export function ExportMessages({ of, filters }: { of: Loaded<Page<unknown>>; filters: Filters }) {
  const read = async (cursor: string | undefined, signal: AbortSignal) => {
    const { messages, pagination } = await call('get', '/api/v1/messages', { query: { ...asQuery(filters, cursor), limit: 100 }, signal });
    return { rows: messages, pagination };
  };
  const cells = (message: Awaited<ReturnType<typeof read>>['rows'][number]): Cell[] => header.map((name) => message[name]);
  return <ExportButton of={of} name="messages" header={header} cells={cells} read={read} />;
}
