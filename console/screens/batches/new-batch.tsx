/** Create a batch: a CSV file, its columns, the real texts, every invalid row, the exact price, then the batch. */
import { useSignal } from '@preact/signals';
import { to } from '../../api/base.js';
import { useSheet } from '../../csv/use-sheet.js';
import { FileChoice } from '../../parts/file-choice.js';
import { ProblemBox } from '../../parts/problem-box.js';
import { Screen } from '../../parts/screen.js';
import { BatchForm } from './batch-form.js';
import { recipientsMax } from './check.js';

export function NewBatch() {
  const { sheet, problem, read } = useSheet(recipientsMax);
  const shown = sheet.value;
  const isSending = useSignal(false);
  return (
    <Screen title="Create a batch" actions={<a href={to('batches')}>All batches</a>}>
      <FileChoice
        rowsMax={recipientsMax}
        sent="It is read in this browser: only recipients and the values that the text needs are sent."
        used={shown}
        isDisabled={isSending.value}
        chosen={read}
      />
      {problem.value !== null && <ProblemBox problem={problem.value} />}
      {shown !== null && <BatchForm sheet={shown} isSending={isSending} />}
    </Screen>
  );
}
