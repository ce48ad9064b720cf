/** What would be sent, which rows are left out and why, the exact sum, and the button that sends. */
import { useSignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { useEffect, useRef } from 'preact/hooks';
import { to } from '../../app/base.js';
import { saveCsv } from '../../csv/save-csv.js';
import type { Sheet } from '../../csv/read-csv.js';
import { creditsText } from '../../parts/credits.js';
import { Facts } from '../../parts/facts.js';
import { Form } from '../../parts/form.js';
import { PagedTable } from '../../parts/paged-table.js';
import type { Column } from '../../parts/table.js';
import { useForm } from '../../state/form.js';
import { refreshWorkspace, session } from '../../state/session.js';
import type { Checked, CheckedRow } from './check.js';
import { sendOnce } from './send-once.js';

type State = CheckedRow['state'];

const columns: readonly Column<CheckedRow>[] = [
  { title: 'Row', cell: ({ number }) => number.toLocaleString(), isNumber: true },
  { title: 'To', cell: ({ to: recipient }) => recipient },
  { title: 'Text', cell: ({ text }) => text },
  { title: 'Credits', cell: ({ credits }) => credits.toLocaleString(), isNumber: true, isMinor: true },
];
const faultColumns: readonly Column<CheckedRow>[] = [
  ...columns.slice(0, 2),
  { title: 'Reason', cell: ({ reasons }) => reasons.join('. ') },
  ...columns.slice(2, 3),
];

export function Outcome({ checked, sheet }: { checked: Checked; sheet: Sheet }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const rowsOf = (state: State) => checked.rows.filter((row) => row.state === state);
  const [faulty, duplicates] = [rowsOf('faulty'), rowsOf('duplicate')];
  return (
    <section class="preview" aria-labelledby="outcome">
      <h2 id="outcome" ref={heading} tabIndex={-1}>
        Preview
      </h2>
      <Facts
        facts={[
          ['Messages', checked.sent.length.toLocaleString()],
          ['Faulty rows', faulty.length === 0 ? null : faulty.length.toLocaleString()],
          ['Duplicates, sent once', duplicates.length === 0 ? null : duplicates.length.toLocaleString()],
          ['Price', creditsText(checked.credits)],
          ['Left after it', leftAfter(checked.credits)],
        ]}
      />
      {faulty.length > 0 && (
        <p>
          <button type="button" onClick={() => void saveFaulty(faulty, sheet)}>
            {`Download the faulty rows (${faulty.length.toLocaleString()})`}
          </button>
        </p>
      )}
      <SendBatch checked={checked} leftOut={faulty.length} />
      <Rows rows={{ faulty, ready: checked.sent, duplicate: duplicates }} />
    </section>
  );
}

const tabs = [
  ['faulty', 'Faulty'],
  ['ready', 'To be sent'],
  ['duplicate', 'Duplicates'],
] as const;

/** Faulty rows are shown first: they need somebody. */
function Rows({ rows }: { rows: Readonly<Record<State, readonly CheckedRow[]>> }) {
  const present = tabs.filter(([state]) => rows[state].length > 0);
  const shown = useSignal<State>(present[0]?.[0] ?? 'ready');
  return (
    <>
      {present.length > 1 && (
        <p class="actions" role="group" aria-label="Rows">
          {present.map(([state, name]) => (
            <button key={state} type="button" aria-pressed={shown.value === state} onClick={() => (shown.value = state)}>
              {`${name} (${rows[state].length.toLocaleString()})`}
            </button>
          ))}
        </p>
      )}
      <PagedTable
        key={shown.value}
        caption={`Rows: ${tabs.find(([state]) => state === shown.value)?.[1] ?? ''}`}
        rows={rows[shown.value]}
        columns={shown.value === 'ready' ? columns : faultColumns}
        keyOf={({ number }) => String(number)}
      />
    </>
  );
}

function SendBatch({ checked: { body, credits, sent }, leftOut }: { checked: Checked; leftOut: number }) {
  const { route } = useLocation();
  const form = useForm(async () => {
    if (body === null) return;
    const batch = await sendOnce(body);
    void refreshWorkspace().catch(() => undefined);
    route(to(`batches/${batch.id}`));
  });
  if (body === null) return <p class="error">No row can be sent.</p>;
  const what = `${sent.length.toLocaleString()} ${sent.length === 1 ? 'message' : 'messages'} for ${creditsText(credits)}`;
  const rows = leftOut === 1 ? 'the faulty row' : `the ${leftOut.toLocaleString()} faulty rows`;
  const status = form.problem.value?.status;
  return (
    <Form form={form} action={leftOut === 0 ? `Send ${what}` : `Leave out ${rows}, send ${what}`} fields={[]}>
      {(status === 0 || (status ?? 0) >= 500) && (
        <p>It is not known whether the batch was accepted. Press the button again: it is sent once, as long as nothing is changed.</p>
      )}
    </Form>
  );
}

function leftAfter(credits: number): string {
  if (session.value.state !== 'open') return '';
  const left = session.value.workspace.credits_balance - credits;
  return left < 0 ? 'not enough credits' : creditsText(Number(left.toFixed(3)));
}

/** All of them, with the cells as they were, to be corrected and chosen again. */
function saveFaulty(faulty: readonly CheckedRow[], { columns: names, rows, fileName }: Sheet): Promise<void> {
  const cells = new Map(rows.map((row) => [row.number, row.cells]));
  const lines = faulty.map(({ number, reasons }) => [...(cells.get(number) ?? []), String(number), reasons.join('. ')]);
  return saveCsv(`faulty-${fileName.replace(/\.\w+$/, '')}.csv`, [[...names, 'faulty row', 'reason'], ...lines]);
}
