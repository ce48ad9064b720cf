/** Send to many: a CSV file, its columns, the real texts, every faulty row, the exact sum, then the batch. */
import { useSignal } from '@preact/signals';
import { type Problem, problemOf } from '../../api/problem.js';
import { to } from '../../app/base.js';
import { readCsv, type Sheet } from '../../csv/read-csv.js';
import { ProblemBox } from '../../parts/problem-box.js';
import { Screen } from '../../parts/screen.js';
import { BatchForm } from './batch-form.js';
import { recipientsMax } from './check.js';
import { FileChoice } from './file-choice.js';

export function NewBatch() {
  const sheet = useSignal<Sheet | null>(null);
  const problem = useSignal<Problem | null>(null);
  // Another file begins with a new form.
  const number = useSignal(0);
  const read = async (file: File) => {
    try {
      sheet.value = await readCsv(file, recipientsMax);
      problem.value = null;
    } catch (error) {
      sheet.value = null;
      problem.value = problemOf(error);
    }
    number.value += 1;
  };
  const shown = sheet.value;
  return (
    <Screen title="Send to many" actions={<a href={to('batches')}>All batches</a>}>
      <FileChoice chosen={(file) => void read(file)} />
      {problem.value !== null && <ProblemBox problem={problem.value} />}
      {shown !== null && (
        <>
          <p role="status">
            <strong>{shown.fileName}</strong>
            {`: ${countText(shown.rows.length, 'row')}, ${countText(shown.columns.length, 'column')}`}
          </p>
          <BatchForm key={number.value} sheet={shown} />
        </>
      )}
    </Screen>
  );
}

const countText = (count: number, noun: string) => `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;
