import { onOneLine } from '../../models/rules/values/text.js';

/** Rows as lines with columns. A cell may be a text of others. Each column is as wide as its widest cell; the last one of a row is not padded. */
export function aligned(given: readonly (readonly string[])[]): string[] {
  const rows = given.map((row) => row.map(onOneLine));
  const widths: number[] = [];
  for (const row of rows) for (const [index, cell] of row.entries()) widths[index] = Math.max(widths[index] ?? 0, cell.length);
  return rows.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}
