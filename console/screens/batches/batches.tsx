/** The batches of the workspace, newest first. */
import { useLocation } from 'preact-iso';
import { call, type Schema } from '../../api/call.js';
import { to } from '../../api/base.js';
import { numberText } from '../../parts/count.js';
import { Chip } from '../../parts/chip.js';
import { MainLink, Screen } from '../../parts/screen.js';
import { type Column, type Page, Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { useEvents, useLiveLoad, useThrottle } from '../../state/live.js';
import { BatchProgress } from './progress.js';

type Batch = Schema<'BatchSummary'>;

/** A batch has several events for each of its messages. */
const readEveryMs = 5_000;

const columns: readonly Column<Batch>[] = [
  {
    title: 'Accepted',
    cell: ({ id, created_at }) => <a href={to(`batches/${id}`)}>{<Time at={created_at} />}</a>,
    isShort: true,
    isRowLink: true,
  },
  { title: 'Status', cell: ({ status }) => <Chip status={status} />, isShort: true },
  { title: 'Channel', cell: ({ channel }) => channel, isMinor: true, isShort: true },
  { title: 'Progress', cell: (batch) => <BatchProgress {...batch} /> },
  { title: 'Failed', cell: ({ counts }) => numberText(counts.failed), isNumber: true, isMinor: true },
  { title: 'Credits', cell: ({ credits_used }) => numberText(credits_used), isNumber: true, isMinor: true },
];

export function Batches() {
  const { cursor } = useLocation().query;
  const page = useLiveLoad<Page<Batch>>(cursor ?? '', async (signal) => {
    const { batches, pagination } = await call('get', '/api/v1/messages/bulk', { query: { cursor }, signal });
    return { rows: batches, pagination };
  });
  const readSoon = useThrottle(page.reloadQuietly, readEveryMs);
  const isShown = (id: string | undefined) => id !== undefined && (page.data.value?.rows.some((row) => row.id === id) ?? false);
  useEvents({
    event: ({ event, data }) => {
      const isNew = event === 'message.queued' && data.batch_id !== undefined && cursor === undefined;
      if (isNew || isShown(data.batch_id)) readSoon();
    },
    reset: page.reloadQuietly,
  });
  return (
    <Screen title="Batches" actions={<MainLink href={to('batches/new')}>Create a batch</MainLink>}>
      <Table
        caption="Batches"
        page={page}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<p>No batches yet. A batch sends one text to many recipients, each with their own values.</p>}
      />
    </Screen>
  );
}
