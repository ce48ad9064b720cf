/** A CSV file, chosen or dropped. */
import { useSignal } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import type { Sheet } from '../csv/read-csv.js';
import { countText, numberText } from './count.js';

interface Props {
  /** More rows are refused when the file is read. */
  rowsMax: number;
  /** What is sent of it. */
  sent: string;
  /** The file in use. A file that cannot be read does not replace it. */
  used: Sheet | null;
  /** No other file can be chosen at the moment. */
  isDisabled?: boolean;
  chosen(file: File): void;
}

export function FileChoice({ rowsMax, sent, used, isDisabled = false, chosen }: Props) {
  const id = useId();
  const isOver = useSignal(false);
  const input = useInput(used, chosen);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    isOver.value = false;
    const file = event.dataTransfer?.files[0];
    if (file !== undefined && !isDisabled) chosen(file);
  };
  return (
    <div
      class={isOver.value ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = !isDisabled;
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={drop}
    >
      <label for={id}>CSV file</label>
      <input
        {...input}
        id={id}
        type="file"
        disabled={isDisabled}
        accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain"
        aria-describedby={`${id}-hint`}
      />
      <p role="status">{used !== null && <Summary sheet={used} />}</p>
      <p id={`${id}-hint`} class="note">
        {`Choose it or drop it here. In UTF-8, at most ${numberText(rowsMax)} rows; the first row is the header row. ${sent}`}
      </p>
    </div>
  );
}

const Summary = ({ sheet: { fileName, rows, columns } }: { sheet: Sheet }) => (
  <>
    <strong>{fileName}</strong>
    {`: ${countText(rows.length, 'row')}, ${countText(columns.length, 'column')}`}
  </>
);

/**
 * An input that shows the name of the file in use, also of one that was dropped. It holds an empty file with that name, not the file itself: so the
 * same file can be chosen again after it was corrected.
 */
function useInput(used: Sheet | null, chosen: Props['chosen']) {
  const ref = useRef<HTMLInputElement>(null);
  const showUsed = () => {
    const list = new DataTransfer();
    if (used !== null) list.items.add(new File([], used.fileName));
    if (ref.current !== null) ref.current.files = list.files;
  };
  useEffect(showUsed, [used]);
  const onChange = () => {
    const file = ref.current?.files?.[0];
    if (file !== undefined) chosen(file);
    showUsed();
  };
  return { ref, onChange };
}
