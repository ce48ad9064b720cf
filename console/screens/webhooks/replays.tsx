/** Replays: send the deliveries of a period again. The number is shown before anything is sent, and the progress after. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { call, type Schema } from '../../api/call.js';
import { problemOf } from '../../api/problem.js';
import { numberText } from '../../parts/count.js';
import { Chip } from '../../parts/chip.js';
import { Form, SelectField, TextField } from '../../parts/form.js';
import { Resource } from '../../parts/loaded.js';
import { Progress } from '../../parts/progress.js';
import { type Column, PlainTable } from '../../parts/table.js';
import { momentOf, momentText, Time } from '../../parts/time.js';
import { useOneAtATime } from '../../state/actions.js';
import { confirm } from '../../state/confirm.js';
import { textOf, useForm } from '../../state/form.js';
import { type Loaded, useLoad } from '../../state/load.js';
import { notify } from '../../state/notices.js';

type Replay = Schema<'Replay'>;
type Request = Schema<'ReplayDeliveriesRequest'>;

/** A running replay is read this often: its progress has no events. */
const progressMs = 3_000;

interface Props {
  webhook: Schema<'Webhook'>;
  /** Called when a replay has ended. */
  ended(): void;
}

export function Replays({ webhook, ended }: Props) {
  const params = { id: webhook.id };
  const replays = useLoad<readonly Replay[]>(
    webhook.id,
    async (signal) => (await call('get', '/api/v1/webhooks/{id}/replays', { params, query: { limit: 10 }, signal })).replays,
  );
  const isRunning = replays.data.value?.some(({ status }) => status === 'running') ?? false;
  useEffect(() => {
    if (!isRunning) return undefined;
    const timer = setInterval(() => !document.hidden && replays.reloadQuietly(), progressMs);
    return () => clearInterval(timer);
  }, [isRunning, replays.reloadQuietly]);
  useEnds(replays.data.value, ended);
  return (
    <section aria-labelledby="replays">
      <h2 id="replays">Replay</h2>
      <p>Sends the deliveries of a period again, oldest first. Receivers recognise repeated events by their id.</p>
      <ReplayForm params={params} reload={replays.reload} />
      <Resource of={replays}>
        {(rows) =>
          rows.length === 0 ? null : (
            <PlainTable
              caption="Replays"
              rows={rows}
              keyOf={({ id }) => id}
              columns={columnsOf(replays)}
              isBusy={replays.isAwaited.value}
            />
          )
        }
      </Resource>
    </section>
  );
}

/** A short replay may have ended when it is first read. */
function useEnds(replays: readonly Replay[] | undefined, ended: () => void): void {
  const ids = replays?.flatMap(({ id, status }) => (status === 'running' ? [] : [id])).join();
  const known = useRef(ids);
  useEffect(() => {
    if (known.current !== undefined && ids !== known.current) ended();
    known.current = ids;
  }, [ids, ended]);
}

const statuses = [
  ['', 'failed and held'],
  ['failed', 'failed'],
  ['held', 'held'],
  ['pending', 'pending'],
  ['succeeded', 'succeeded'],
] as const;
const fields = ['since', 'until', 'status'] as const;

function ReplayForm({ params, reload }: { params: { id: string }; reload(): void }) {
  const counted = useSignal<number | null>(null);
  const form = useForm(async (data, _form, origin) => {
    const body = requestOf(data);
    const count = await countOf(params, body);
    // The question would be about another screen than the one that is shown.
    if (origin.isLeft()) return;
    counted.value = count.matched;
    if (count.matched === 0) return;
    const action = `Send ${count.matched === null ? 'all' : numberText(count.matched)} again`;
    const several = `${count.matched === null ? 'Very many' : numberText(count.matched)} deliveries match. Each`;
    const found = count.matched === 1 ? '1 delivery matches. It' : several;
    const text = `${found} is sent again, with all its retries if it had failed or was held.`;
    if (!(await confirm({ title: 'Replay these deliveries?', text, action }))) return;
    // What is counted is sent: later deliveries are not part of it.
    const request = { ...body, ...count.until, dry_run: false };
    await call('post', '/api/v1/webhooks/{id}/replay', { params, body: request }).finally(reload);
    notify('Replay started.');
  }, 'If you have confirmed the replay, it may have been started. Look at the list of replays before you try again.');
  return (
    <Form form={form} action="Count" fields={fields} more={<span role="status">{counted.value === 0 ? 'No delivery matches.' : ''}</span>}>
      <div class="filters">
        <TextField name="since" label="From" type="datetime-local" required />
        <TextField name="until" label="To (empty: now)" type="datetime-local" />
        <SelectField name="status" label="Status" options={statuses} />
      </div>
    </Form>
  );
}

/** How many deliveries match, and the end of the time in which they were counted. Null: too many to count them, which is no reason to send none. */
async function countOf(
  params: { id: string },
  body: Omit<Request, 'dry_run'>,
): Promise<{ matched: number | null; until: { until?: string } }> {
  try {
    const { replay } = await call('post', '/api/v1/webhooks/{id}/replay', { params, body: { ...body, dry_run: true } });
    return { matched: replay.matched, until: { until: replay.until } };
  } catch (error) {
    if (problemOf(error).code !== 'limit_reached') throw error;
    return { matched: null, until: {} };
  }
}

function requestOf(data: FormData): Omit<Request, 'dry_run'> {
  const status = textOf(data, 'status');
  const until = momentOf(textOf(data, 'until'));
  return {
    since: momentOf(textOf(data, 'since')) ?? '',
    ...(until === null ? {} : { until }),
    ...(status === '' ? {} : { status: status as NonNullable<Request['status']> }),
  };
}

const columnsOf = (replays: Loaded<readonly Replay[]>): Column<Replay>[] => [
  { title: 'Started', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    title: 'Period',
    cell: ({ since, until }) => (
      <>
        <Time at={since} /> – <Time at={until} />
      </>
    ),
  },
  { title: 'Status', cell: ({ status }) => <Chip status={status} /> },
  {
    title: 'Progress',
    cell: ({ attempted, matched }) => (matched === null ? numberText(attempted) : <Progress done={attempted} of={matched} />),
  },
  { title: 'Acknowledged', cell: ({ acknowledged }) => numberText(acknowledged), isNumber: true },
  { title: 'Actions', cell: (replay) => (replay.status === 'running' ? <CancelReplay replay={replay} replays={replays} /> : null) },
];

function CancelReplay({ replay, replays }: { replay: Replay; replays: Loaded<readonly Replay[]> }) {
  const { isBusy, run } = useOneAtATime();
  const params = { id: replay.webhook_id, replay_id: replay.id };
  const cancel = run(async () => {
    await call('post', '/api/v1/webhooks/{id}/replays/{replay_id}/cancel', { params }).finally(replays.reload);
    notify('Replay cancelled.');
  });
  return (
    <button
      type="button"
      aria-label={`Cancel the replay started ${momentText(replay.created_at)}`}
      aria-disabled={isBusy.value}
      onClick={cancel}
    >
      Cancel
    </button>
  );
}
