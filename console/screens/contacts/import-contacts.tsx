/** Import contacts from a CSV file: its columns by their names, then every row, with the reasons of the refused ones. */
import { useSignal } from '@preact/signals';
import { to } from '../../api/base.js';
import { useSheet } from '../../csv/use-sheet.js';
import { FileChoice } from '../../parts/file-choice.js';
import { ProblemBox } from '../../parts/problem-box.js';
import { Screen } from '../../parts/screen.js';
import { notify } from '../../state/notices.js';
import { ImportRun } from './import-run.js';
import { rowsMax } from './run-import.js';

export function ImportContacts() {
  const { sheet, problem, read } = useSheet(rowsMax);
  const isRunning = useSignal(false);
  const chosen = (file: File) => (isRunning.value ? notify('Stop the import before you choose another file.') : read(file));
  return (
    <Screen title="Import contacts" actions={<a href={to('contacts')}>All contacts</a>}>
      <FileChoice
        rowsMax={rowsMax}
        sent="Columns named name, phone, email and tags become these fields, all others custom fields. Columns named id, created_at, updated_at and reason are not imported."
        used={sheet.value}
        chosen={chosen}
      />
      {problem.value !== null && <ProblemBox problem={problem.value} />}
      {sheet.value !== null && <ImportRun key={sheet.value} sheet={sheet.value} isRunning={isRunning} />}
    </Screen>
  );
}
