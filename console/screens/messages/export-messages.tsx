/** The messages as CSV: a column for each field, except those of `WithoutColumn`. */
import { call, type Schema } from '../../api/call.js';
import type { Cell } from '../../csv/save-csv.js';
import { ExportButton } from '../../parts/export-button.js';
import type { Page } from '../../parts/table.js';
import type { Loaded } from '../../state/load.js';
import { asQuery, type Filters } from './filters.js';

type WithoutColumn = 'content' | 'encoding' | 'provider' | 'provider_message_id' | 'metadata' | 'expires_at' | 'fallback_of' | 'fallback';
type Column = Exclude<keyof Schema<'Message'>, WithoutColumn>;

const header = Object.keys({
  id: true,
  created_at: true,
  channel: true,
  to: true,
  status: true,
  status_detail: true,
  error_code: true,
  error_message: true,
  credits_used: true,
  segments: true,
  reference: true,
  batch_id: true,
  scheduled_at: true,
  sent_at: true,
  delivered_at: true,
  failed_at: true,
  read_at: true,
} satisfies Record<Column, true>) as Column[];

export function ExportMessages({ of, filters }: { of: Loaded<Page<unknown>>; filters: Filters }) {
  const read = async (cursor: string | undefined, signal: AbortSignal) => {
    const { messages, pagination } = await call('get', '/api/v1/messages', { query: { ...asQuery(filters, cursor), limit: 100 }, signal });
    return { rows: messages, pagination };
  };
  const cells = (message: Awaited<ReturnType<typeof read>>['rows'][number]): Cell[] => header.map((name) => message[name]);
  return <ExportButton of={of} name="messages" header={header} cells={cells} read={read} />;
}
