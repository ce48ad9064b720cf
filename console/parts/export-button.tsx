/** Download of a list as CSV, with its progress. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { problemOf } from '../api/problem.js';
import { exportList } from '../csv/export-list.js';
import { loadPapa } from '../csv/load-papa.js';
import { type Cell, saveCsv } from '../csv/save-csv.js';
import type { Loaded } from '../state/load.js';
import type { Page } from './table.js';
import { countText, numberText } from './count.js';

interface Props<Row> {
  /** The list on the screen: without rows there is nothing to download. */
  of: Loaded<Page<unknown>>;
  /** Of the file, without its ending. */
  name: string;
  header: readonly string[];
  cells(row: Row): readonly Cell[];
  read(cursor: string | undefined, signal: AbortSignal): Promise<Page<Row>>;
}

/** The file has what the filters of the list select. Another screen, or the button again, ends the download. */
export function ExportButton<Row>({ of, name, header, cells, read }: Props<Row>) {
  const running = useRef<AbortController | null>(null);
  const isRunning = useSignal(false);
  const progress = useSignal('');
  const outcome = useSignal('');
  useEffect(() => () => running.current?.abort(), []);
  const start = async () => {
    const controller = new AbortController();
    running.current = controller;
    isRunning.value = true;
    progress.value = 'Reading…';
    outcome.value = '';
    const count = (done: number, total: number | null) =>
      (progress.value = `${numberText(done)}${total === null ? '' : ` of ${numberText(total)}`} rows`);
    try {
      const { signal } = controller;
      await loadPapa(); // before the reads, which may take long
      const lines = await exportList({ read: (cursor) => read(cursor, signal), cells, progress: count, signal });
      await saveCsv(`${name}.csv`, [header, ...lines]);
      outcome.value = `Saved: ${countText(lines.length, 'row')}`;
    } catch (error) {
      outcome.value = controller.signal.aborted ? 'Stopped' : problemOf(error).message;
    } finally {
      isRunning.value = false;
    }
  };
  // A download goes on while another page is read.
  if (!isRunning.value && outcome.value === '' && (of.data.value?.rows.length ?? 0) === 0) return null;
  return (
    <p class="actions">
      <button type="button" onClick={() => void (isRunning.value ? running.current?.abort() : start())}>
        {isRunning.value ? 'Stop the download' : 'Download as CSV'}
      </button>
      {/* Screen readers hear the outcome, and not each page. */}
      {isRunning.value && <span>{progress.value}</span>}
      <span role="status">{outcome.value}</span>
    </p>
  );
}
