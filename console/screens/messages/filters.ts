/** The filters of the message list, which are in the address of the screen. */
import type { FiltersOf, Query, Schema } from '../../api/call.js';
import { phoneText } from '../../parts/message-fields.js';

export const statuses = ['queued', 'sent', 'delivered', 'failed', 'read'] as const satisfies readonly Schema<'MessageStatus'>[];

type Name = keyof FiltersOf<'/api/v1/messages'>;
export type Filters = Partial<Record<Name, string>>;
const isFilter: Record<Name, true> = {
  status: true,
  channel: true,
  to: true,
  reference: true,
  batch_id: true,
  start_date: true,
  end_date: true,
};

/** A plus sign becomes a space where a person wrote the address: no recipient has spaces. */
export function filtersOf(query: Readonly<Record<string, string>>): Filters {
  const given: typeof query = { ...query, to: (query.to ?? '').replaceAll(' ', '+') };
  return Object.fromEntries(Object.keys(isFilter).flatMap((name) => ((given[name] ?? '') === '' ? [] : [[name, given[name]]]))) as Filters;
}

/** The API checks the values: an address with a wrong one shows its text. */
export const asQuery = (filters: Filters, cursor: string | undefined): Query<'/api/v1/messages', 'get'> =>
  ({ ...filters, limit: 50, cursor }) as Query<'/api/v1/messages', 'get'>;

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What was searched for: the id of a message or a reference that looks like one, a recipient, or else a reference. */
export function readSearch(text: string): { id: string; reference: string } | { to: string } | { reference: string } | null {
  const given = text.trim();
  if (given === '') return null;
  if (uuid.test(given)) return { id: given.toLowerCase(), reference: given };
  const number = phoneText(given);
  if (/^\+\d{6,15}$/.test(number)) return { to: number };
  return /^[^\s@]+@[^\s@]+$/.test(given) ? { to: given } : { reference: given };
}

/** The phone number that someone may mean who searches for digits without a plus sign. They were taken for a reference. */
export function numberLike(reference: string): string | null {
  const digits = phoneText(reference).replace(/^00/, '');
  return /^[1-9]\d{6,14}$/.test(digits) ? `+${digits}` : null;
}
