/** A CSV file, chosen or dropped. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { numberText } from './count.js';

interface Props {
  /** More rows are refused when the file is read. */
  rowsMax: number;
  /** What is sent of it. */
  sent: string;
  /** No other file can be chosen at the moment. */
  isDisabled?: boolean;
  chosen(file: File): void;
}

export function FileChoice({ rowsMax, sent, isDisabled = false, chosen }: Props) {
  const id = useId();
  const isOver = useSignal(false);
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
        id={id}
        type="file"
        disabled={isDisabled}
        accept=".csv,.tsv,.txt,text/csv,text/tab-separated-values,text/plain"
        aria-describedby={`${id}-hint`}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0];
          if (file !== undefined) chosen(file);
          // The same file can be chosen again after it was corrected.
          currentTarget.value = '';
        }}
      />
      <p id={`${id}-hint`} class="note">
        {`Choose it or drop it here. In UTF-8, at most ${numberText(rowsMax)} rows; the first row has the names of the columns. ${sent}`}
      </p>
    </div>
  );
}
