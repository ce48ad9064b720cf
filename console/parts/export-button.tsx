/** Download of a list as CSV, with its progress. */
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { problemOf } from '../api/problem.js';
import { exportList } from '../csv/export-list.js';
import { type Cell, saveCsv } from '../csv/save-csv.js';
import type { Page } from './table.js';
import { numberText } from './count.js';

interface Props<Row> {
  /** Of the file, without its ending. */
  name: string;
  header: readonly string[];
  cells(row: Row): readonly Cell[];
  read(cursor: string | undefined, signal: AbortSignal): Promise<Page<Row>>;
}

/** The file has what the filters of the list select. Another screen, or the button again, ends the download. */
export function ExportButton<Row>({ name, header, cells, read }: Props<Row>) {
  const running = useRef<AbortController | null>(null);
  const isRunning = useSignal(false);
  const state = useSignal('');
  useEffect(() => () => running.current?.abort(), []);
  const start = async () => {
    const controller = new AbortController();
    running.current = controller;
    isRunning.value = true;
    state.value = 'Reading…';
    const progress = (done: number, total: number | null) =>
      (state.value = `${numberText(done)}${total === null ? '' : ` of ${numberText(total)}`} rows`);
    try {
      const { signal } = controller;
      const lines = await exportList({ read: (cursor) => read(cursor, signal), cells, progress, signal });
      await saveCsv(`${name}.csv`, [header, ...lines]);
    } catch (error) {
      state.value = controller.signal.aborted ? '' : problemOf(error).message;
    } finally {
      isRunning.value = false;
    }
  };
  return (
    <p class="actions">
      <button type="button" onClick={() => void (isRunning.value ? running.current?.abort() : start())}>
        {isRunning.value ? 'Stop the download' : 'Download as CSV'}
      </button>
      <span role="status">{state.value}</span>
    </p>
  );
}
