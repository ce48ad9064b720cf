/** The messages of the workspace, newest first, live. */
import { useLocation } from 'preact-iso';
import { call } from '../../api/call.js';
import { to } from '../../api/base.js';
import { numberText } from '../../parts/count.js';
import { Chip } from '../../parts/chip.js';
import { hasAny, NoMatch } from '../../parts/filter-form.js';
import { MainLink, Screen } from '../../parts/screen.js';
import { type Column, LongText, Recipient, Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';
import { useEvents, useLiveLoad } from '../../state/live.js';
import type { Loaded } from '../../state/load.js';
import { ExportMessages } from './export-messages.js';
import { FilterBar } from './filter-bar.js';
import { asQuery, type Filters, filtersOf, numberLike } from './filters.js';
import { isHeld, useHoldEnd } from './hold.js';
import { applyEvent, type LivePage, type Row, withAnswer } from './live-rows.js';

const columns: readonly Column<Row>[] = [
  { title: 'Accepted', cell: ({ created_at }) => <Time at={created_at} />, isShort: true },
  {
    title: 'Recipient',
    cell: ({ id, to: recipient }) => (
      <a href={to(`messages/${id}`)}>
        <Recipient of={recipient} />
      </a>
    ),
    isRowLink: true,
  },
  { title: 'Channel', cell: ({ channel }) => channel, isMinor: true, isShort: true },
  { title: 'Status', cell: (row) => <State {...row} /> },
  { title: 'Reference', cell: ({ reference }) => <LongText text={reference} />, isMinor: true },
  { title: 'Credits', cell: ({ credits_used }) => (credits_used === null ? '' : numberText(credits_used)), isNumber: true, isMinor: true },
];

/** The status, and what it does not say: until when a message waits, or why it failed. */
function State({ status, scheduled_at: due, error_message: reason }: Row) {
  return (
    <>
      <Chip status={status} />
      {status === 'queued' && due !== null && Date.parse(due) > Date.now() && (
        <span class="note">
          {' '}
          scheduled for <Time at={due} />
        </span>
      )}
      {status === 'failed' && reason !== null && <span class="note">{` ${reason}`}</span>}
    </>
  );
}

export function Messages() {
  const { query } = useLocation();
  const filters = filtersOf(query);
  const page = useLivePage(filters, query.cursor);
  return (
    <Screen
      title="Messages"
      actions={
        <>
          <ShowNewer of={page} />
          <MainLink href={to('send')}>Send a message</MainLink>
        </>
      }
    >
      <FilterBar filters={filters} reload={page.reload} />
      <Table
        caption="Messages"
        page={page}
        columns={columns}
        keyOf={({ id }) => id}
        empty={hasAny(filters) ? <NoneFound filters={filters} /> : <NoMessages />}
      />
      <ExportMessages of={page} filters={filters} />
    </Screen>
  );
}

/** The page of messages, with later events. What the user asks for moves its rows, everything else only while they are not held. */
function useLivePage(filters: Filters, cursor: string | undefined): Loaded<LivePage> {
  const isFirst = cursor === undefined;
  const page: Loaded<LivePage> = useLiveLoad(JSON.stringify([filters, cursor]), async (signal) => {
    const { messages, pagination } = await call('get', '/api/v1/messages', { query: asQuery(filters, cursor), signal });
    const answer = { rows: messages, pagination, hidden: new Set<string>(), isStale: false };
    const shown = page.data.peek();
    return shown === undefined || page.isAwaited.peek() || !isHeld() ? answer : withAnswer(shown, answer, isFirst);
  });
  useEvents({
    event: (event) => page.update((shown) => applyEvent(shown, event, { filters, isFirst, isHeld: isHeld() })),
    reset: page.reloadQuietly,
  });
  useHoldEnd(() => {
    const { hidden, isStale } = page.data.peek() ?? {};
    if (isStale === true || (hidden?.size ?? 0) > 0) page.reloadQuietly();
  });
  return page;
}

/** It moves nothing when it appears: its place is there before. On a phone it needs a line. */
function ShowNewer({ of: { data, reload } }: { of: Loaded<LivePage> }) {
  const count = data.value?.hidden.size ?? 0;
  const text = (newer: number) => `Show ${numberText(newer)} newer`;
  if (count === 0) return <span class="button newer reserved">{text(1)}</span>;
  return (
    <button type="button" class="newer" onClick={reload}>
      {text(count)}
    </button>
  );
}

/** Says what a search was taken for. */
function NoneFound({ filters }: { filters: Filters }) {
  const { to: recipient, reference = '' } = filters;
  const number = numberLike(reference);
  return (
    <>
      {recipient !== undefined && <p>{`Searched for the recipient ${recipient}.`}</p>}
      {reference !== '' && <p>{`Searched for the reference ${reference}.`}</p>}
      {number !== null && (
        <p>
          <a href={to('messages', { ...filters, reference: null, to: number })}>{`Search for the recipient ${number}`}</a>
        </p>
      )}
      <NoMatch noun="message" all={to('messages')} />
    </>
  );
}

const NoMessages = () => (
  <p>
    No messages yet. <a href={to('send')}>Send the first one</a>
  </p>
);
