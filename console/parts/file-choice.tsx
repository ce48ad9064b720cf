/** A file, chosen or dropped. */
import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';

export function FileChoice({ chosen }: { chosen(file: File): void }) {
  const id = useId();
  const isOver = useSignal(false);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    isOver.value = false;
    const file = event.dataTransfer?.files[0];
    if (file !== undefined) chosen(file);
  };
  return (
    <div
      class={isOver.value ? 'drop over' : 'drop'}
      onDragOver={(event) => {
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={() => (isOver.value = false)}
      onDrop={drop}
    >
      <label for={id}>CSV file</label>
      <input
        id={id}
        type="file"
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
        Choose it or drop it here. In UTF-8, at most 10,000 rows; the first row has the names of the columns. It is read in this browser:
        only recipients and the values that the text needs are sent.
      </p>
    </div>
  );
}
