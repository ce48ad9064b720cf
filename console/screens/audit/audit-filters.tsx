/** The filters of the audit events. */
import type { FiltersOf } from '../../api/call.js';
import { to } from '../../api/base.js';
import { anyOf, FilterForm, useSearch } from '../../parts/filter-form.js';
import { SelectField, TextField } from '../../parts/form.js';
import { filteredTime, localInput } from '../../parts/time.js';
import { textOf } from '../../state/form.js';

export type Filters = FiltersOf<'/api/v1/audit-events'>;

const kinds = {
  'auth.*': 'logins and passwords',
  'api_key.*': 'API keys',
  'webhook.*': 'webhooks',
  'suppression.*': 'suppressions',
  'workspace.*': 'workspace',
  'billing.*': 'billing',
} as const;
export const actors = { user: 'user', api_key: 'API key', system: 'system' } as const;

/** A link can select one type or one actor, which no choice has: it stays chosen until another one is. */
function withGiven(texts: Readonly<Record<string, string>>, given = '') {
  const options = anyOf(Object.keys(texts), texts);
  return options.some(([value]) => value === given) ? options : [...options, [given, given] as const];
}

export function AuditFilters({ filters, reload }: { filters: Filters; reload(): void }) {
  const search = useSearch(reload);
  const apply = (data: FormData) =>
    search(
      to('audit', {
        type: textOf(data, 'type'),
        actor: textOf(data, 'actor'),
        start_date: filteredTime(textOf(data, 'start_date'), filters.start_date),
        end_date: filteredTime(textOf(data, 'end_date'), filters.end_date),
      }),
    );
  return (
    <FilterForm filters={filters} apply={apply} all={to('audit')}>
      <SelectField name="type" label="What" options={withGiven(kinds, filters.type)} selected={filters.type ?? ''} />
      <SelectField name="actor" label="Actor" options={withGiven(actors, filters.actor)} selected={filters.actor ?? ''} />
      <TextField name="start_date" label="From" type="datetime-local" defaultValue={localInput(filters.start_date)} />
      <TextField name="end_date" label="To" type="datetime-local" defaultValue={localInput(filters.end_date)} />
    </FilterForm>
  );
}
