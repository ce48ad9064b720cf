/** The API keys of the workspace. */
import { useLocation } from 'preact-iso';
import { call } from '../../api/call.js';
import { to } from '../../api/base.js';
import { Chip } from '../../parts/chip.js';
import { CopyBlock } from '../../parts/copy.js';
import { Lead } from '../../parts/lead.js';
import { MainLink, Screen } from '../../parts/screen.js';
import { type Column, type Page, Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { type Loaded, useLoad } from '../../state/load.js';
import { useShownOnce } from '../../state/shown-once.js';
import { hasExpired, type Key, type Rotated } from './key.js';
import { KeyActions } from './key-actions.js';

const columnsOf = (page: Loaded<Page<Key>>, show: (rotated: Promise<Rotated>) => Promise<unknown>): Column<Key>[] => [
  {
    title: 'Name',
    cell: ({ name, key_prefix }) => (
      <>
        {name} <code class="note whole">{key_prefix}</code>
      </>
    ),
  },
  { title: 'Status', cell: (key) => <KeyStatus {...key} /> },
  { title: 'Access', cell: (key) => <Access {...key} /> },
  { title: 'Created', cell: ({ created_at }) => <Time at={created_at} />, isMinor: true },
  {
    title: 'Last used',
    cell: ({ last_used_at, last_used_address }) => (
      <>
        <Time at={last_used_at} none="never" /> {last_used_address}
      </>
    ),
  },
  {
    title: 'Actions',
    cell: (row) => row.is_active && <KeyActions apiKey={row} changed={page.reload} show={show} />,
  },
];

export function Keys() {
  const { values, show, stored } = useShownOnce<Rotated>(
    'key',
    'Key rotated. Its new value cannot be displayed any more: rotate it again.',
  );
  const { cursor } = useLocation().query;
  const page = useLoad<Page<Key>>(cursor ?? '', async (signal) => {
    const { api_keys, pagination } = await call('get', '/api/v1/api-keys', { query: { cursor }, signal });
    return { rows: api_keys, pagination };
  });
  return (
    <Screen title="API keys" actions={<MainLink href={to('keys/new')}>Create an API key</MainLink>}>
      {values.value.length > 0 && <NewKeys keys={values.value} stored={stored} />}
      <Table
        caption="API keys"
        page={page}
        columns={columnsOf(page, show)}
        keyOf={({ id }) => id}
        empty={
          <p>
            No API keys yet. A program needs one to send messages. <a href={to('keys/new')}>Create the first one</a>
          </p>
        }
      />
    </Screen>
  );
}

function NewKeys({ keys, stored }: { keys: readonly Rotated[]; stored(): void }) {
  const isOne = keys.length === 1;
  return (
    <div>
      <Lead key={keys.length}>
        {isOne ? 'Store the new key now: it is displayed only once.' : 'Store the new keys now: they are displayed only once.'}
      </Lead>
      {keys.map(({ name, key_prefix, key, former }) => (
        <div key={key}>
          <p>
            {name} <code class="note">{key_prefix}</code> in place of <code class="note">{former}</code>
          </p>
          <CopyBlock value={key} label={`the new key of ${name} ${key_prefix}`} />
        </div>
      ))}
      <button type="button" onClick={stored}>
        {isOne ? 'I have stored the key' : 'I have stored the keys'}
      </button>
    </div>
  );
}

/** What it may do, on which channels, and from where. */
const Access = ({ scopes, channels, allowed_addresses: addresses }: Key) => (
  <ul class="lines">
    {scopes.map((scope) => (
      <li key={scope} class="whole">
        {scope}
      </li>
    ))}
    {channels !== null && <li>{`only ${channels.join(', ')}`}</li>}
    {addresses !== null && <li>{`only from ${addresses.join(', ')}`}</li>}
  </ul>
);

function KeyStatus(key: Key) {
  if (!key.is_active) return <Chip status="inactive" />;
  if (key.expires_at === null) return <Chip status="active" />;
  const isOver = hasExpired(key);
  return (
    <>
      <Chip status={isOver ? 'inactive' : 'active'} /> {isOver ? 'expired' : 'until'} <Time at={key.expires_at} />
    </>
  );
}
