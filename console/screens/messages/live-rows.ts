/** How events and later answers change the shown page of messages. Events say what the table shows: they cause no read. */
import type { Schema } from '../../api/call.js';
import type { MessageEvent } from '../../api/stream.js';
import type { Page } from '../../parts/table.js';
import { millisOf } from '../../parts/time.js';
import type { Filters } from './filters.js';

export type Row = Pick<
  Schema<'Message'>,
  'id' | 'to' | 'channel' | 'status' | 'created_at' | 'reference' | 'batch_id' | 'error_message'
> & {
  /** Null: not known from the event. */
  credits_used: number | null;
  /** Events do not tell it. */
  scheduled_at: string | null;
};

export interface LivePage extends Page<Row> {
  /** The ids of new messages that are not shown, because the page is long already, or in use. Events change this set: copies of thousands take time. */
  hidden: Set<string>;
  /** Whether rows are shown that the API may no longer find. */
  isStale: boolean;
}

/** New messages make a page grow to this many rows. */
const rowsMax = 100;

/** An event may be older than the answer that the page came from. */
const ranks: Readonly<Record<Row['status'], number>> = { queued: 0, sent: 1, failed: 2, delivered: 3, read: 4 };

interface View {
  filters: Filters;
  /** Whether it is the page of the newest messages. */
  isFirst: boolean;
  /** Rows stay where they are while the user reads them. */
  isHeld: boolean;
}

export function applyEvent(page: LivePage, event: MessageEvent, view: View): LivePage {
  const known = page.rows.find(({ id }) => id === event.data.message_id);
  if (known === undefined) return view.isFirst ? withNew(page, event, view) : page;
  const { status } = event.data;
  if (ranks[status] <= ranks[known.status]) return page;
  // The API has found it by the other filters, and knows better.
  const isMatch = (each: Row['status']) => (view.filters.status ?? each) === each;
  const shown = view.isHeld || isMatch(status) ? [changed(known, event)] : [];
  const rows = page.rows.flatMap((row) => (row === known ? shown : [row]));
  const isStale = page.isStale || (view.isHeld && !isMatch(status));
  return withTotal({ ...page, rows, isStale }, Number(isMatch(status)) - Number(isMatch(known.status)));
}

/** The page in use after an answer that nobody waits for: its rows stay where they are, with new values, and new messages wait. */
export function withAnswer(page: LivePage, answer: LivePage, isFirst: boolean): LivePage {
  const found = new Map(answer.rows.map((row) => [row.id, row]));
  const rows = page.rows.map((row) => found.get(row.id) ?? row);
  const isSame = rows.length === found.size && answer.rows.every((row, index) => row === rows[index]);
  if (isSame || rows.length === 0) return answer;
  const hidden = isFirst ? [...newIds(page, answer), ...olderIds(page.hidden, answer)] : [];
  return { rows, pagination: { ...page.pagination, total: answer.pagination.total }, hidden: new Set(hidden), isStale: true };
}

function newIds(page: LivePage, answer: LivePage): string[] {
  const known = new Set(page.rows.map(({ id }) => id));
  return answer.rows.map(({ id }) => id).filter((id) => !known.has(id) && isOnPage(page, id));
}

/** Those that the answer has no place for. */
function olderIds(hidden: ReadonlySet<string>, { rows, pagination }: LivePage): string[] {
  const last = pagination.next_cursor === null ? undefined : rows.at(-1);
  return last === undefined ? [] : [...hidden].filter((id) => id < last.id);
}

/** Whether the place of this message is among the shown rows, or above them. */
function isOnPage({ rows, pagination }: LivePage, id: string): boolean {
  const last = rows.at(-1);
  return pagination.next_cursor === null || last === undefined || id > last.id;
}

/** The page with this many more messages in total. */
function withTotal(page: LivePage, more: number): LivePage {
  const { total } = page.pagination;
  return total === null ? page : { ...page, pagination: { ...page.pagination, total: total + more } };
}

function withNew(page: LivePage, event: MessageEvent, { filters, isHeld }: View): LivePage {
  const row = rowOf(event);
  const { hidden } = page;
  // Each message has several events, and counts once.
  if (hidden.has(row.id)) {
    if (matches(row, filters)) return page;
    hidden.delete(row.id);
    return withTotal({ ...page }, -1);
  }
  if (!isOnPage(page, row.id) || !matches(row, filters)) return page;
  // None is shown above one that is hidden.
  if (page.rows.length >= rowsMax || hidden.size > 0 || (isHeld && page.rows.length > 0)) {
    hidden.add(row.id);
    return withTotal({ ...page }, 1);
  }
  const rows = [...page.rows, row].toSorted((one, other) => (one.id < other.id ? 1 : -1));
  return withTotal({ ...page, rows }, 1);
}

function rowOf({ data }: MessageEvent): Row {
  return {
    id: data.message_id,
    to: data.recipient,
    channel: data.channel,
    status: data.status,
    created_at: timeOfId(data.message_id),
    reference: data.reference ?? null,
    batch_id: data.batch_id ?? null,
    credits_used: 'credits_used' in data ? data.credits_used : null,
    scheduled_at: null,
    error_message: 'error_message' in data ? data.error_message : null,
  };
}

/** A shown row after a later event. It names all fields, so that the compiler asks what an event changes in a new one. */
function changed({ id, to, channel, created_at, reference, batch_id, scheduled_at, ...known }: Row, { data }: MessageEvent): Row {
  const { status } = data;
  // A message that fails before its hand-off is refunded.
  const credits_used = status === 'failed' && known.status === 'queued' ? 0 : known.credits_used;
  const error_message = 'error_message' in data ? data.error_message : null;
  return { id, to, channel, status, created_at, reference, batch_id, scheduled_at, credits_used, error_message };
}

/** The ids are UUIDs of version 7: they begin with their time in milliseconds. */
const timeOfId = (id: string): string => new Date(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toISOString();

/** As the API finds messages: addresses in any letter case, a plus sign of a time zone also where it became a space in the address of the screen. */
function matches(row: Row, { start_date, end_date, to, ...filters }: Filters): boolean {
  const at = Date.parse(row.created_at);
  // A text that is no time is refused by the API. It excludes nothing here.
  if (start_date !== undefined && at < timeOf(start_date)) return false;
  if (end_date !== undefined && at > timeOf(end_date) + (isDay(end_date) ? 86_399_999 : 0)) return false;
  if (to !== undefined && row.to?.toLowerCase() !== to.toLowerCase()) return false;
  return Object.entries(filters).every(([name, value]) => row[name as keyof typeof filters] === value);
}

const timeOf = (text: string) => millisOf(text.replace(' ', '+'));
/** A day as the end of a period counts to its last millisecond. */
const isDay = (text: string) => !text.includes('T');
