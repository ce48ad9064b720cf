/** The file that a screen works on. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { type Problem, problemOf } from '../api/problem.js';
import { readCsv, type Sheet } from './read-csv.js';

interface ChosenSheet {
  sheet: ReadonlySignal<Sheet | null>;
  /** Why the file cannot be read. */
  problem: ReadonlySignal<Problem | null>;
  /** Another number for each file: as `key` it begins with a new form. */
  number: ReadonlySignal<number>;
  read(file: File): void;
}

/** @param rowsMax more rows are refused */
export function useSheet(rowsMax: number): ChosenSheet {
  const sheet = useSignal<Sheet | null>(null);
  const problem = useSignal<Problem | null>(null);
  const number = useSignal(0);
  const read = async (file: File) => {
    try {
      sheet.value = await readCsv(file, rowsMax);
      problem.value = null;
    } catch (error) {
      sheet.value = null;
      problem.value = problemOf(error);
    }
    number.value += 1;
  };
  return { sheet, problem, number, read: (file) => void read(file) };
}
