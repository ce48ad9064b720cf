/** The recipients who get no messages. */
import { useLocation } from 'preact-iso';
import { call, type FiltersOf, type Query } from '../../api/call.js';
import { to } from '../../api/base.js';
import { anyOf, FilterForm, hasAny, NoMatch, useSearch } from '../../parts/filter-form.js';
import { SelectField, TextField } from '../../parts/form.js';
import { channels } from '../../parts/channels.js';
import { phoneText } from '../../parts/message-fields.js';
import { MainLink, Screen } from '../../parts/screen.js';
import { type Column, type Page, Recipient, Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { textOf } from '../../state/form.js';
import { useLoad } from '../../state/load.js';
import { ExportSuppressions } from './export-suppressions.js';
import { reasons, reasonTexts, sourceTexts, type Suppression } from './reasons.js';
import { Remove } from './remove.js';

type Filters = FiltersOf<'/api/v1/suppressions'>;

const columnsOf = (removed: () => void): Column<Suppression>[] => [
  { title: 'Recipient', cell: ({ recipient }) => <Recipient of={recipient} /> },
  { title: 'Channel', cell: ({ channel }) => channel, isShort: true },
  {
    title: 'Reason',
    cell: ({ reason, source, message_id: message }) => (
      <>
        {`${reasonTexts[reason]}, ${sourceTexts[source]}`}
        {message !== null && (
          <>
            {' '}
            (<a href={to(`messages/${message}`)}>message</a>)
          </>
        )}
      </>
    ),
  },
  { title: 'Since', cell: ({ created_at }) => <Time at={created_at} /> },
  { title: 'Until', cell: ({ expires_at }) => <Time at={expires_at} none="no end" /> },
  { title: 'Actions', cell: (suppression) => <Remove suppression={suppression} removed={removed} /> },
];

export function Suppressions() {
  const { channel, recipient, reason, cursor } = useLocation().query;
  const filters: Filters = { channel, recipient, reason };
  const page = useLoad<Page<Suppression>>(JSON.stringify([filters, cursor]), async (signal) => {
    // The API checks the values: an address with a wrong one shows its text.
    const query = { ...filters, cursor, limit: 50 } as Query<'/api/v1/suppressions', 'get'>;
    const { suppressions, pagination } = await call('get', '/api/v1/suppressions', { query, signal });
    return { rows: suppressions, pagination };
  });
  return (
    <Screen title="Suppressions" actions={<MainLink href={to('suppressions/new')}>Suppress a recipient</MainLink>}>
      <SuppressionFilters filters={filters} reload={page.reload} />
      <Table
        caption="Suppressions"
        page={page}
        columns={columnsOf(page.reload)}
        keyOf={({ id }) => id}
        empty={hasAny(filters) ? <NoMatch noun="suppression" all={to('suppressions')} /> : <NoSuppressions />}
      />
      <ExportSuppressions of={page} filters={filters as Query<'/api/v1/suppressions', 'get'>} />
    </Screen>
  );
}

function SuppressionFilters({ filters, reload }: { filters: Filters; reload(): void }) {
  const search = useSearch(reload);
  const apply = (data: FormData) => {
    const [recipient = '', channel = '', reason = ''] = ['recipient', 'channel', 'reason'].map((name) => textOf(data, name).trim());
    search(to('suppressions', { recipient: phoneText(recipient), channel, reason }));
  };
  return (
    <FilterForm filters={filters} apply={apply} all={to('suppressions')}>
      <TextField name="recipient" label="Recipient" type="search" defaultValue={filters.recipient ?? ''} maxLength={320} />
      <SelectField name="channel" label="Channel" options={anyOf(channels)} selected={filters.channel ?? ''} />
      <SelectField name="reason" label="Reason" options={anyOf(reasons, reasonTexts)} selected={filters.reason ?? ''} />
    </FilterForm>
  );
}

const NoSuppressions = () => <p>No suppressions yet. Recipients who opt out or whose address bounces appear here.</p>;
