/** Search and filters. They are in the address, so that links and the back button keep them. */
import { useLocation } from 'preact-iso';
import { to } from '../../api/base.js';
import { call } from '../../api/call.js';
import { problemOf } from '../../api/problem.js';
import { anyOf, FilterForm, useSearch } from '../../parts/filter-form.js';
import { SelectField, TextField } from '../../parts/form.js';
import { channels } from '../../parts/channels.js';
import { filteredTime, localInput } from '../../parts/time.js';
import { textOf } from '../../state/form.js';
import { type Filters, readSearch, statuses } from './filters.js';

export function FilterBar({ filters, reload }: { filters: Filters; reload(): void }) {
  const { route } = useLocation();
  const search = useSearch(reload);
  const apply = async (data: FormData) => {
    const { id, ...found } = { id: undefined, ...readSearch(textOf(data, 'search')) };
    const { href } = location;
    const isId = id !== undefined && (await mayBeId(id));
    if (location.href !== href) return undefined;
    if (isId) return route(to(`messages/${id}`));
    const chosen = {
      to: undefined,
      reference: undefined,
      ...found,
      status: textOf(data, 'status'),
      channel: textOf(data, 'channel'),
      batch_id: filters.batch_id,
      start_date: filteredTime(textOf(data, 'start_date'), filters.start_date),
      end_date: filteredTime(textOf(data, 'end_date'), filters.end_date),
    } satisfies Record<keyof Filters, string | null | undefined>;
    return search(to('messages', chosen));
  };
  return (
    <>
      <FilterForm filters={filters} apply={(data) => void apply(data)} all={to('messages')}>
        <Fields filters={filters} />
      </FilterForm>
      {filters.batch_id !== undefined && (
        <p class="note">
          Of the batch <a href={to(`batches/${filters.batch_id}`)}>{filters.batch_id}</a>
        </p>
      )}
    </>
  );
}

/** Programs also use UUIDs as references. What went wrong with the read is shown by the screen of the message. */
const mayBeId = (id: string): Promise<boolean> =>
  call('get', '/api/v1/messages/{id}', { params: { id } }).then(
    () => true,
    (error: unknown) => problemOf(error).status !== 404,
  );

function Fields({ filters }: { filters: Filters }) {
  return (
    <>
      <TextField
        name="search"
        label="Recipient, reference or id"
        type="search"
        defaultValue={filters.to ?? filters.reference ?? ''}
        maxLength={255}
      />
      <SelectField name="status" label="Status" options={anyOf(statuses)} selected={filters.status ?? ''} />
      <SelectField name="channel" label="Channel" options={anyOf(channels)} selected={filters.channel ?? ''} />
      <TextField name="start_date" label="From" type="datetime-local" defaultValue={localInput(filters.start_date)} />
      <TextField name="end_date" label="To" type="datetime-local" defaultValue={localInput(filters.end_date)} />
    </>
  );
}
