/** The deliveries of a webhook, newest first. */
import { useLocation } from 'preact-iso';
import { call, type FiltersOf, type Query, type Schema } from '../../api/call.js';
import { isPortal, to } from '../../api/base.js';
import { Chip } from '../../parts/chip.js';
import { anyOf, FilterForm, useSearch } from '../../parts/filter-form.js';
import { SelectField, TextField } from '../../parts/form.js';
import { RefreshButton } from '../../parts/loaded.js';
import { type Column, type Page, Table } from '../../parts/table.js';
import { filteredTime, localInput, Time } from '../../parts/time.js';
import { textOf } from '../../state/form.js';
import { useEvents, useLiveLoad, usePolling, useThrottle } from '../../state/live.js';
import type { Loaded } from '../../state/load.js';
import { reasonOf } from './reasons.js';
import { eventTypes } from './event-types.js';

type Delivery = Schema<'Delivery'>;
type Filters = FiltersOf<'/api/v1/webhooks/{id}/deliveries'>;

/** An event of a message may cause a delivery. The list is read again soon after, and not more often. */
const readEveryMs = 5_000;

const columns: readonly Column<Delivery>[] = [
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    title: 'Event',
    cell: ({ id, event, webhook_id }) => <a href={to(`webhooks/${webhook_id}/deliveries/${id}`)}>{event}</a>,
    isShort: true,
    isRowLink: true,
  },
  { title: 'Message', cell: ({ message_id }) => message_id && <MessageLink id={message_id} />, isMinor: true },
  { title: 'Status', cell: ({ status }) => <Chip status={status} />, isShort: true },
  { title: 'Attempts', cell: ({ attempts }) => attempts.length, isNumber: true, isMinor: true },
  { title: 'Last response', cell: (delivery) => <LastResponse {...delivery} />, isMinor: true },
  { title: 'Next attempt', cell: ({ next_attempt_at }) => <Time at={next_attempt_at} />, isMinor: true },
];

/** The end of the id: ids of the same second begin alike. */
function MessageLink({ id }: { id: string }) {
  const text = `…${id.slice(-8)}`;
  if (isPortal) return <code title={id}>{text}</code>;
  return (
    <a href={to(`messages/${id}`)} title={id}>
      <code>{text}</code>
    </a>
  );
}

function LastResponse({ attempts }: Delivery) {
  const last = attempts.at(-1);
  if (last === undefined) return <>none yet</>;
  return <>{reasonOf(last) ?? `${last.response_status ?? ''} in ${last.duration_ms} ms`}</>;
}

/** The pending rows with their numbers of attempts, which have no events. */
function pendingIn(rows: readonly Delivery[] = []): string | undefined {
  const pending = rows.filter(({ status }) => status === 'pending');
  return pending.length === 0 ? undefined : pending.map(({ id, attempts }) => `${id} ${attempts.length}`).join();
}

interface Shown {
  filters: Filters;
  page: Loaded<Page<Delivery>>;
}

/** Reads the deliveries that the address of the screen selects. */
export function useDeliveries(webhookId: string): Shown {
  const { query } = useLocation();
  const { cursor, status, event, message_id, since, until } = query;
  const filters: Filters = { status, event, message_id, since, until };
  const page = useLiveLoad<Page<Delivery>>(JSON.stringify([webhookId, filters, cursor]), async (signal) => {
    const given = { ...filters, cursor, limit: 20 } as Query<'/api/v1/webhooks/{id}/deliveries', 'get'>;
    const answer = await call('get', '/api/v1/webhooks/{id}/deliveries', { params: { id: webhookId }, query: given, signal });
    return { rows: answer.deliveries, pagination: answer.pagination };
  });
  const readSoon = useThrottle(page.reloadQuietly, readEveryMs);
  useEvents({ event: () => cursor === undefined && setTimeout(readSoon, 500), reset: page.reloadQuietly });
  usePolling(pendingIn(page.data.value?.rows), readSoon);
  return { filters, page };
}

export function Deliveries({ webhookId, shown: { filters, page } }: { webhookId: string; shown: Shown }) {
  return (
    <section aria-labelledby="deliveries">
      <div class="heading">
        <h2 id="deliveries">Deliveries</h2>
        <RefreshButton of={page} />
      </div>
      <DeliveryFilters webhookId={webhookId} filters={filters} reload={page.reload} />
      <Table caption="List of deliveries" page={page} columns={columns} keyOf={({ id }) => id} empty={<p>No deliveries.</p>} />
    </section>
  );
}

const statuses = ['pending', 'succeeded', 'failed', 'held'] as const satisfies readonly Delivery['status'][];
const events = [...eventTypes, 'webhook.test'] as const;

function DeliveryFilters({ webhookId, filters, reload }: { webhookId: string; filters: Filters; reload(): void }) {
  const search = useSearch(reload);
  const apply = (data: FormData) => {
    const [status = '', event = '', message_id = ''] = ['status', 'event', 'message_id'].map((name) => textOf(data, name).trim());
    const [since, until] = (['since', 'until'] as const).map((name) => filteredTime(textOf(data, name), filters[name]));
    search(to(`webhooks/${webhookId}`, { status, event, message_id, since, until }));
  };
  return (
    <FilterForm filters={filters} apply={apply} all={to(`webhooks/${webhookId}`)}>
      <SelectField name="status" label="Status" options={anyOf(statuses)} selected={filters.status ?? ''} />
      <SelectField name="event" label="Event" options={anyOf(events)} selected={filters.event ?? ''} />
      <TextField name="message_id" label="Message id" type="search" defaultValue={filters.message_id ?? ''} />
      <TextField name="since" label="From" type="datetime-local" defaultValue={localInput(filters.since)} />
      <TextField name="until" label="To" type="datetime-local" defaultValue={localInput(filters.until)} />
    </FilterForm>
  );
}
