/** CSV files that the page itself makes. */
import { escaped } from './formula.js';
import { loadPapa } from './load-papa.js';

/** A number is never taken for a formula: it stays as it is. Null is an empty cell. */
export type Cell = string | number | null;

/** Saves rows as a file of the user. It is sent nowhere. */
export async function saveCsv(name: string, rows: readonly (readonly Cell[])[]): Promise<void> {
  const papa = await loadPapa();
  // With the mark at its beginning, spreadsheets read it as UTF-8.
  const text = `\uFEFF${papa.unparse([...rows] as Cell[][], { escapeFormulae: escaped })}\r\n`;
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv;charset=utf-8' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
