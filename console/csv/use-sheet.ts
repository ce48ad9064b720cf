/** The file that a screen works on. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type Problem, problemOf } from '../api/problem.js';
import { useKeptSignal } from '../state/kept.js';
import { loadPapa } from './load-papa.js';
import { readCsv, type Sheet } from './read-csv.js';

interface ChosenSheet {
  sheet: ReadonlySignal<Sheet | null>;
  /** Why the file that was chosen last cannot be read, or why none can. */
  problem: ReadonlySignal<Problem | null>;
  read(file: File): void;
}

/** @param rowsMax more rows are refused */
export function useSheet(rowsMax: number): ChosenSheet {
  const sheet = useKeptSignal<Sheet | null>('file', null);
  const problem = useSignal<Problem | null>(null);
  const newest = useRef<File | null>(null);
  // Loaded with the screen, because an update of the service removes the file of this part.
  useEffect(() => void loadPapa().catch((error: unknown) => (problem.value = problemOf(error))), []);
  const read = async (file: File) => {
    newest.current = file;
    try {
      const answer = await readCsv(file, rowsMax);
      if (newest.current !== file) return;
      sheet.value = answer;
      problem.value = null;
    } catch (error) {
      // The file before it stays: work on it is not lost to a wrong click.
      if (newest.current === file) problem.value = problemOf(error);
    }
  };
  return { sheet, problem, read: (file) => void read(file) };
}
