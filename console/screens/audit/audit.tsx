/** Who changed what, when and from where. */
import { useLocation } from 'preact-iso';
import { call, type Query, type Schema } from '../../api/call.js';
import { to } from '../../api/base.js';
import { NoMatch } from '../../parts/filter-form.js';
import { Screen } from '../../parts/screen.js';
import { type Column, type Page, Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { useLoad } from '../../state/load.js';
import { actors, AuditFilters, type Filters } from './audit-filters.js';
import { Changes } from './changes.js';

type AuditEvent = Schema<'AuditEvent'>;

const columns: readonly Column<AuditEvent>[] = [
  { title: 'Time', cell: ({ at }) => <Time at={at} />, isShort: true },
  { title: 'What', cell: ({ type, target }) => <What type={type} target={target} /> },
  { title: 'Actor', cell: ({ actor }) => <Actor {...actor} />, isMinor: true },
  { title: 'Address', cell: ({ address, user_agent: agent }) => <span title={agent ?? undefined}>{address ?? ''}</span>, isMinor: true },
  { title: 'Details', cell: (event) => <Details {...event} /> },
];

/** Its filters select all events of the actor. */
const Actor = ({ type, id, name }: AuditEvent['actor']) => (
  <>
    <a href={to('audit', { actor: id ?? type })}>{actors[type]}</a> {name}
  </>
);

const What = ({ type, target }: Pick<AuditEvent, 'type' | 'target'>) => (
  <>
    <a href={to('audit', { type })}>{type}</a> {target?.name}
  </>
);

/** On a phone the columns of the actor and the address are hidden, so they are here as well. */
function Details({ actor, address, user_agent: agent, request_id: request, target, changes }: AuditEvent) {
  return (
    <details>
      <summary>Details</summary>
      <Changes
        values={{
          actor: [actors[actor.type], actor.name].filter(Boolean).join(' '),
          address,
          client: agent,
          target: target === null ? null : `${target.type} ${target.id ?? ''}`.trim(),
          request,
          ...changes,
        }}
      />
    </details>
  );
}

export function Audit() {
  const { type, actor, start_date, end_date, cursor } = useLocation().query;
  const filters: Filters = { type, actor, start_date, end_date };
  const page = useLoad<Page<AuditEvent>>(JSON.stringify([filters, cursor]), async (signal) => {
    // The API checks the values: an address with a wrong one shows its text.
    const query = { ...filters, cursor, limit: 50 } as Query<'/api/v1/audit-events', 'get'>;
    const { audit_events: rows, pagination } = await call('get', '/api/v1/audit-events', { query, signal });
    return { rows, pagination };
  });
  return (
    <Screen title="Audit">
      <AuditFilters filters={filters} reload={page.reload} />
      <Table
        caption="Audit events"
        page={page}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<NoMatch noun="event" all={to('audit')} />}
      />
    </Screen>
  );
}
