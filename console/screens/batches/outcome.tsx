/** What would be sent, which rows are skipped and why, the exact price, and the button that sends. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { saveCsv } from '../../csv/save-csv.js';
import type { Sheet } from '../../csv/read-csv.js';
import { numberText } from '../../parts/count.js';
import { creditsText, leftAfter } from '../../parts/credits.js';
import { Facts } from '../../parts/facts.js';
import { PagedTable } from '../../parts/paged-table.js';
import type { Column } from '../../parts/table.js';
import { momentText } from '../../parts/time.js';
import { refreshSoon } from '../../state/session.js';
import type { Checked, CheckedRow } from './check.js';
import { SendBatch } from './send-batch.js';

type State = CheckedRow['state'];

const columns: readonly Column<CheckedRow>[] = [
  { title: 'Row', cell: ({ number }) => numberText(number), isNumber: true },
  { title: 'To', cell: ({ to: recipient }) => recipient },
  { title: 'Text', cell: ({ text }) => text },
  { title: 'Credits', cell: ({ credits }) => numberText(credits), isNumber: true },
];
const reasonColumns: readonly Column<CheckedRow>[] = [
  ...columns.slice(0, 2),
  { title: 'Reason', cell: ({ reasons }) => reasons.join('. ') },
  ...columns.slice(2, 3),
];

interface Props {
  checked: Checked;
  sheet: Sheet;
  /** While the batch is being sent. */
  isSending: Signal<boolean>;
}

export function Outcome({ checked, sheet, isSending }: Props) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus();
    // Other sends have been paid since the balance was read.
    refreshSoon();
  }, []);
  const rowsOf = (state: State) => checked.rows.filter((row) => row.state === state);
  const [invalid, duplicates] = [rowsOf('invalid'), rowsOf('duplicate')];
  return (
    <section class="preview" aria-labelledby="outcome">
      <h2 id="outcome" ref={heading} tabIndex={-1}>
        Preview
      </h2>
      <Facts
        facts={[
          ['Messages', numberText(checked.sent.length)],
          ['Invalid rows', invalid.length === 0 ? null : numberText(invalid.length)],
          ['Duplicates, sent once', duplicates.length === 0 ? null : numberText(duplicates.length)],
          ['Sent', checked.body && whenText(checked.body.scheduled_at)],
          ['Price', creditsText(checked.credits)],
          ['Balance after sending', leftAfter(checked.credits)],
        ]}
      />
      {invalid.length > 0 && (
        <p>
          <button type="button" onClick={() => void saveInvalid(invalid, sheet)}>
            {`Download the invalid rows (${numberText(invalid.length)})`}
          </button>
        </p>
      )}
      <Warnings texts={checked.warnings} />
      <SendBatch checked={checked} skipped={invalid.length} isSending={isSending} />
      <Rows rows={{ invalid, ready: checked.sent, duplicate: duplicates }} />
    </section>
  );
}

const Warnings = ({ texts }: { texts: readonly string[] }) => (
  <>
    {texts.map((text) => (
      <p key={text} class="error">
        {text}
      </p>
    ))}
  </>
);

const tabs = [
  ['invalid', 'Invalid'],
  ['ready', 'To be sent'],
  ['duplicate', 'Duplicates'],
] as const;

/** Invalid rows are shown first: someone has to correct them. */
function Rows({ rows }: { rows: Readonly<Record<State, readonly CheckedRow[]>> }) {
  const present = tabs.filter(([state]) => rows[state].length > 0);
  const shown = useSignal<State>(present[0]?.[0] ?? 'ready');
  return (
    <>
      {present.length > 1 && (
        <p class="actions" role="group" aria-label="Rows">
          {present.map(([state, name]) => (
            <button key={state} type="button" aria-pressed={shown.value === state} onClick={() => (shown.value = state)}>
              {`${name} (${numberText(rows[state].length)})`}
            </button>
          ))}
        </p>
      )}
      <PagedTable
        key={shown.value}
        caption={`Rows: ${tabs.find(([state]) => state === shown.value)?.[1] ?? ''}`}
        rows={rows[shown.value]}
        columns={shown.value === 'ready' ? columns : reasonColumns}
        keyOf={({ number }) => String(number)}
      />
    </>
  );
}

const whenText = (at: string | null | undefined) => (at ? `on ${momentText(at)}` : 'now');

/** All of them, with the cells as they were, to be corrected and chosen again. */
function saveInvalid(invalid: readonly CheckedRow[], { columns: names, rows, fileName }: Sheet): Promise<void> {
  const cells = new Map(rows.map((row) => [row.number, row.cells]));
  const lines = invalid.map(({ number, reasons }) => [...(cells.get(number) ?? []), String(number), reasons.join('. ')]);
  return saveCsv(`invalid-${fileName.replace(/\.\w+$/, '')}.csv`, [[...names, 'invalid row', 'reason'], ...lines]);
}
