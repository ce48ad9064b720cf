/** One batch as it is sent: progress, messages by status, pause, resume and cancel. */
import { useRoute } from 'preact-iso';
import { call, type Schema } from '../../api/call.js';
import { to } from '../../api/base.js';
import { CopyValue } from '../../parts/copy.js';
import { numberText } from '../../parts/count.js';
import { Chip } from '../../parts/chip.js';
import { creditsText } from '../../parts/credits.js';
import { Facts } from '../../parts/facts.js';
import { RefreshButton, Resource } from '../../parts/loaded.js';
import { PagedTable } from '../../parts/paged-table.js';
import { Screen } from '../../parts/screen.js';
import { type Column, PlainTable } from '../../parts/table.js';
import { durationText, localText, Time } from '../../parts/time.js';
import { useEvents, useLiveLoad, useThrottle } from '../../state/live.js';
import { BatchActions } from './batch-actions.js';
import { BatchProgress } from './progress.js';

type Shown = Schema<'Batch'>;
type Skipped = Schema<'SkippedRecipient'>;

/** A batch of ten thousand has tens of thousands of events. The rate limit of the workspace counts each read. */
const readEveryMs = 2_500;

export function Batch() {
  const { id = '' } = useRoute().params;
  const batch = useLiveLoad<Shown>(
    id,
    async (signal) => (await call('get', '/api/v1/messages/bulk/{id}', { params: { id }, signal })).batch,
  );
  const readSoon = useThrottle(batch.reloadQuietly, readEveryMs);
  useEvents({
    event: ({ data }) => data.batch_id === id && readSoon(),
    reset: readSoon,
  });
  const { created_at: acceptedAt } = batch.data.value ?? {};
  return (
    <Screen
      title="Batch"
      subject={acceptedAt && localText(acceptedAt)}
      actions={
        <>
          <a href={to('batches')}>All batches</a>
          {/* No event says that a message was read. */}
          <RefreshButton of={batch} />
        </>
      }
    >
      <Resource of={batch}>
        {(shown) => (
          <>
            <Summary batch={shown} changed={batch.replace} />
            <Counts batch={shown} />
            <Details batch={shown} />
            <SkippedRecipients batch={shown} />
          </>
        )}
      </Resource>
    </Screen>
  );
}

function Summary({ batch, changed }: { batch: Shown; changed(batch: Shown): void }) {
  return (
    <section class="summary" aria-label="Status">
      {/* Screen readers hear the status, and not each change of the time. */}
      <p>
        <span role="status">
          <Chip status={batch.status} />
        </span>{' '}
        <TimeLeft batch={batch} />
      </p>
      <p class="progress">
        <BatchProgress {...batch} />
      </p>
      <BatchActions batch={batch} changed={changed} />
    </section>
  );
}

function TimeLeft({ batch: { status, rate, counts, scheduled_at } }: { batch: Shown }) {
  if (status === 'scheduled') {
    return (
      <>
        Starts at <Time at={scheduled_at} />
      </>
    );
  }
  if (status !== 'sending' || rate === null) return null;
  return <>{`about ${durationText((counts.queued / rate) * 1000)} left`}</>;
}

type Count = readonly [status: keyof Shown['counts'], messages: number];

function Counts({ batch: { id, counts } }: { batch: Shown }) {
  const columns: readonly Column<Count>[] = [
    { title: 'Status', cell: ([status]) => <Chip status={status} /> },
    {
      title: 'Messages',
      cell: ([status, messages]) =>
        messages === 0 ? (
          '0'
        ) : (
          <a href={to('messages', { batch_id: id, status })} aria-label={`${numberText(messages)} ${status}`}>
            {numberText(messages)}
          </a>
        ),
      isNumber: true,
    },
  ];
  return (
    <section aria-labelledby="messages">
      <h2 id="messages">Messages</h2>
      <PlainTable caption="Messages by status" columns={columns} rows={Object.entries(counts) as Count[]} keyOf={([status]) => status} />
      <p>
        <a href={to('messages', { batch_id: id })}>Show all its messages</a>
      </p>
    </section>
  );
}

function Details({ batch }: { batch: Shown }) {
  return (
    <section aria-labelledby="details">
      <h2 id="details">Details</h2>
      <Facts
        facts={[
          ['Channel', batch.channel],
          ['Price', creditsText(batch.credits_used)],
          ['Rate', batch.rate === null ? 'as fast as the carrier accepts them' : `at most ${numberText(batch.rate)} per second`],
          ['Recipients submitted', numberText(batch.total)],
          ['Invalid, skipped', batch.invalid === 0 ? null : numberText(batch.invalid)],
          ['Accepted', <Time key="at" at={batch.created_at} />],
          ['Scheduled', batch.scheduled_at && <Time at={batch.scheduled_at} />],
          ['Completed', batch.completed_at && <Time at={batch.completed_at} />],
          ['Id', <CopyValue key="id" value={batch.id} label="the id" />],
        ]}
      />
    </section>
  );
}

const skippedColumns: readonly Column<Skipped>[] = [
  { title: 'Recipient', cell: ({ index }) => numberText(index + 1), isNumber: true },
  { title: 'Reason', cell: ({ message }) => message },
];

/** The recipients that a program let the service skip (`on_invalid: "skip"`). */
function SkippedRecipients({ batch: { errors } }: { batch: Shown }) {
  if (errors.length === 0) return null;
  return (
    <section aria-labelledby="skipped">
      <h2 id="skipped">Skipped</h2>
      <PagedTable
        caption="Invalid recipients"
        rows={errors}
        columns={skippedColumns}
        keyOf={({ index, field, message }) => `${index} ${field} ${message}`}
      />
    </section>
  );
}
