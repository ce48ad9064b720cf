/** What a file will become, and its import. */
import { type Signal, useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { type Problem, problemOf } from '../../api/problem.js';
import type { Sheet, SheetRow } from '../../csv/read-csv.js';
import { saveCsv } from '../../csv/save-csv.js';
import { countText, numberText } from '../../parts/count.js';
import { Facts } from '../../parts/facts.js';
import { PagedTable } from '../../parts/paged-table.js';
import { ProblemBox } from '../../parts/problem-box.js';
import { useKept } from '../../state/kept.js';
import { useLeaveQuestion } from '../../state/leave.js';
import { type Mapping, mappingOf } from './mapping.js';
import { type Fault, type Progress, runImport } from './run-import.js';

const leaving = {
  title: 'Stop the import?',
  text: 'Contacts that are created stay. To save the rows that were not tried, stop the import here first.',
  action: 'Stop and leave',
};

const targetTexts = {
  name: 'name',
  phone: 'phone number',
  email: 'e-mail address',
  tags: 'tags',
  custom_fields: 'custom fields, as JSON',
  custom: 'a custom field',
  none: 'not imported',
} as const;

interface Props {
  sheet: Sheet;
  /** Set here. */
  isRunning: Signal<boolean>;
}

/** The run of the import, which another screen ends: what is created stays. */
function useRun(sheet: Sheet, mapping: Mapping, isRunning: Signal<boolean>) {
  const progress = useSignal<Progress>({ done: 0, created: 0, faults: [], isUnknown: false });
  const problem = useSignal<Problem | null>(null);
  const hasBegun = useSignal(false);
  const running = useRef<AbortController | null>(null);
  const begun = () => (hasBegun.value ? progress.value : undefined);
  useKept('import', begun, (kept) => {
    hasBegun.value = true;
    progress.value = kept;
  });
  useEffect(() => () => running.current?.abort(), []);
  const start = async () => {
    const { signal } = (running.current = new AbortController());
    hasBegun.value = isRunning.value = true;
    problem.value = null;
    try {
      await runImport({ sheet, mapping, from: progress.value, progress: (now) => (progress.value = now), signal });
    } catch (error) {
      if (!signal.aborted) problem.value = problemOf(error);
    }
    isRunning.value = false;
  };
  return { progress, problem, hasBegun, start, stop: () => running.current?.abort() };
}

export function ImportRun({ sheet, isRunning }: Props) {
  const mapping = useMemo(() => mappingOf(sheet), [sheet]);
  const { progress, problem, hasBegun, start, stop } = useRun(sheet, mapping, isRunning);
  useLeaveQuestion(isRunning, leaving);
  const stateAtRest = hasBegun.value ? 'ended' : 'ready';
  const state = isRunning.value ? 'running' : stateAtRest;
  const { done, faults } = progress.value;
  return (
    <>
      <h2>{sheet.fileName}</h2>
      <Facts facts={sheet.columns.map((column, index) => [column, targetTexts[mapping.targets[index] ?? 'custom']])} />
      {!mapping.isReachable && (
        <p role="alert" class="error">
          No column is named phone or email. Rename the one with phone numbers or e-mail addresses, and choose the file again.
        </p>
      )}
      {problem.value !== null && <ProblemBox problem={problem.value} />}
      {mapping.isReachable && <Run rows={sheet.rows.length} state={state} progress={progress.value} start={start} stop={stop} />}
      <Faults sheet={sheet} faults={faults} notTried={state === 'ended' ? sheet.rows.slice(done) : []} />
    </>
  );
}

interface RunProps {
  rows: number;
  state: 'ready' | 'running' | 'ended';
  progress: Progress;
  start(): Promise<void>;
  stop(): void;
}

function Run({ rows, state, progress: { done, created, faults }, start, stop }: RunProps) {
  const rowsText = countText(rows, 'row');
  const counts = `${numberText(created)} created, ${numberText(faults.length)} refused of ${rowsText}`;
  return (
    <p class="actions">
      {state === 'ready' && (
        <button type="button" class="primary" onClick={() => void start()}>
          {`Import ${rowsText}`}
        </button>
      )}
      {state === 'running' && (
        <>
          <button type="button" onClick={stop}>
            Stop the import
          </button>
          <progress max={rows} value={done} aria-label={counts} />
        </>
      )}
      {state === 'ended' && done < rows && (
        <button type="button" class="primary" onClick={() => void start()}>
          Continue with the rest
        </button>
      )}
      {/* Screen readers hear the outcome, and not each row. */}
      {state === 'running' && <span>{counts}</span>}
      <span role="status">{state === 'ended' && (done < rows ? `Stopped: ${counts}` : `Done: ${counts}`)}</span>
    </p>
  );
}

const columns = [
  { title: 'Row', cell: ({ row }: Fault) => numberText(row.number), isNumber: true },
  { title: 'Reason', cell: ({ reason }: Fault) => reason },
  { title: 'Content', cell: ({ row }: Fault) => row.cells.filter((cell) => cell !== '').join(', ') },
] as const;

interface FaultsProps {
  sheet: Sheet;
  faults: readonly Fault[];
  /** The rows after the last one that was tried, when the import has ended. */
  notTried: readonly SheetRow[];
}

/** The file has the columns of the first one and the reason, so that it can be corrected and imported. */
function Faults({ sheet, faults, notTried }: FaultsProps) {
  if (faults.length === 0 && notTried.length === 0) return null;
  const save = () => {
    const rows = [...faults, ...notTried.map((row) => ({ row, reason: 'Not tried' }))];
    void saveCsv('refused-contacts.csv', [[...sheet.columns, 'Reason'], ...rows.map(({ row, reason }) => [...row.cells, reason])]);
  };
  return (
    <section aria-labelledby="faults">
      <h2 id="faults">{faults.length === 0 ? 'Rows that were not tried' : 'Refused rows'}</h2>
      {faults.length > 0 && (
        <PagedTable caption="Rows that were refused" rows={faults} columns={columns} keyOf={({ row }) => String(row.number)} />
      )}
      <p>
        <button type="button" onClick={save}>
          {notTried.length === 0
            ? 'Download the refused rows'
            : `Download the rows that are not imported (${numberText(faults.length + notTried.length)})`}
        </button>
      </p>
    </section>
  );
}
