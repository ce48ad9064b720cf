/** The contacts of the workspace. */
import { useLocation } from 'preact-iso';
import { call, type FiltersOf, type Schema } from '../../api/call.js';
import { to } from '../../api/base.js';
import { FilterForm, hasAny, NoMatch, useSearch } from '../../parts/filter-form.js';
import { TextField } from '../../parts/form.js';
import { MainLink, Screen } from '../../parts/screen.js';
import { type Column, LongText, type Page, Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { textOf } from '../../state/form.js';
import { useLoad } from '../../state/load.js';
import { ExportContacts } from './export-contacts.js';

type Contact = Schema<'Contact'>;

/** @param list the filters and the page, which the contact's screen leads back to */
const columnsOf = (list: Readonly<Record<string, string>>): Column<Contact>[] => [
  {
    title: 'Name',
    cell: ({ id, name, phone, email }) => (
      <a href={to(`contacts/${id}`, list)}>
        <LongText text={name ?? phone ?? email ?? id} />
      </a>
    ),
    isRowLink: true,
  },
  { title: 'Phone number', cell: ({ phone }) => phone ?? '', isShort: true },
  { title: 'E-mail address', cell: ({ email }) => <LongText text={email} />, isMinor: true },
  { title: 'Tags', cell: ({ tags }) => <Tags tags={tags} />, isMinor: true },
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} />, isMinor: true, isShort: true },
];

export function Contacts() {
  const { query } = useLocation();
  const { search, tag, cursor } = query;
  const filters = { search, tag };
  const page = useLoad<Page<Contact>>(JSON.stringify([search, tag, cursor]), async (signal) => {
    const { contacts, pagination } = await call('get', '/api/v1/contacts', { query: { ...filters, cursor, limit: 50 }, signal });
    return { rows: contacts, pagination };
  });
  return (
    <Screen title="Contacts" actions={<Actions />}>
      <ContactFilters filters={filters} reload={page.reload} />
      <Table
        caption="Contacts"
        page={page}
        columns={columnsOf(query)}
        keyOf={({ id }) => id}
        empty={hasAny(filters) ? <NoMatch noun="contact" all={to('contacts')} /> : <NoContacts />}
      />
      <ExportContacts of={page} filters={filters} />
    </Screen>
  );
}

const Actions = () => (
  <>
    <a class="button" href={to('contacts/import')}>
      Import
    </a>
    <MainLink href={to('contacts/new')}>Create a contact</MainLink>
  </>
);

function ContactFilters({ filters, reload }: { filters: FiltersOf<'/api/v1/contacts'>; reload(): void }) {
  const search = useSearch(reload);
  const apply = (data: FormData) => search(to('contacts', { search: textOf(data, 'search').trim(), tag: textOf(data, 'tag') }));
  return (
    <FilterForm filters={filters} apply={apply} all={to('contacts')}>
      <TextField
        name="search"
        label="Name, phone number or e-mail address"
        type="search"
        defaultValue={filters.search ?? ''}
        maxLength={255}
      />
      <TextField name="tag" label="Tag" type="search" defaultValue={filters.tag ?? ''} maxLength={64} />
    </FilterForm>
  );
}

/** Each tag leads to all contacts that have it. */
const Tags = ({ tags }: { tags: readonly string[] }) => (
  <span class="tags">
    {tags.map((tag) => (
      <a key={tag} href={to('contacts', { tag })}>
        {tag}
      </a>
    ))}
  </span>
);

const NoContacts = () => (
  <p>
    No contacts yet. <a href={to('contacts/new')}>Create the first one</a> or <a href={to('contacts/import')}>import a CSV file</a>
  </p>
);
