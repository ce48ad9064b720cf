/** A CSV file that the user chose, read in the browser. It is sent nowhere: a screen sends what it makes of the rows. */
import type Papa from 'papaparse';
import { Problem } from '../api/problem.js';
import { unescaped } from './formula.js';
import { freeName } from './free-name.js';
import { loadPapa } from './load-papa.js';
import { numberText } from '../parts/count.js';

/** The file may have more columns than are sent. */
const bytesMax = 20 * 1024 * 1024;
const columnsMax = 200;

export interface SheetRow {
  /** As a spreadsheet counts them: the header row is row 1. */
  number: number;
  /**
   * Without spaces around them; empty where the row is shorter than the first one. A row that is too long keeps all of them: without the last
   * ones, a file of refused rows would be accepted with shifted values.
   */
  cells: readonly string[];
  /** It has more cells than there are columns. */
  isTooLong: boolean;
}

export interface Sheet {
  fileName: string;
  /** The names of the columns, each once. */
  columns: readonly string[];
  rows: readonly SheetRow[];
}

const refused = (error: string, ...hints: string[]) => new Problem(400, { error, hints });

/**
 * Reads the header row and all rows below it. Empty rows are left out. The delimiter is found by itself.
 * @param rowsMax more rows are refused
 * @throws Problem for a file that cannot be read without loss, with what to do about it
 */
export async function readCsv(file: File, rowsMax: number): Promise<Sheet> {
  if (file.size > bytesMax) throw refused('The file is larger than 20 MB.', 'Split it, or remove columns that are not needed.');
  // Papa accepts one line end in a file. Rows that come from different systems may have several.
  const text = decoded(await file.arrayBuffer()).replaceAll(/\r\n?/g, '\n');
  const papa = await loadPapa();
  // Without a limit a file of one column could have millions of rows. Some of them may be empty.
  const { data, errors, meta } = papa.parse<string[]>(text, { preview: 2 * rowsMax, delimiter: delimiterOf(papa, text) });
  const quote = errors.find(({ type }) => type === 'Quotes');
  if (quote !== undefined) {
    throw refused(
      `The quotation marks in row ${numberText((quote.row ?? 0) + 1)} do not match.`,
      'Inside of a cell, write a quotation mark twice.',
    );
  }
  const [first = [], ...others] = data;
  const columns = columnsOf(first);
  const rows = others.flatMap((cells, index) => rowOf(cells, index + 2, columns.length) ?? []);
  if (meta.truncated || rows.length > rowsMax) {
    throw refused(`The file has more than ${numberText(rowsMax)} rows.`, 'Split it into several files.');
  }
  if (rows.length === 0) throw refused('The file has no rows below its header row.');
  return { fileName: file.name, columns, rows };
}

/** Guessed without the empty row after the last line end. That one would count as a row of one column, and texts with `;` or `|` would then decide. */
const delimiterOf = (papa: typeof Papa, text: string): string =>
  papa.parse(text, { preview: 10, skipEmptyLines: 'greedy', delimitersToGuess: [',', ';', '\t', '|'] }).meta.delimiter;

/** Other encodings are refused: with a wrong guess, names would be sent with wrong letters. */
function decoded(bytes: ArrayBuffer): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return text;
  } catch {
    // It is refused below.
  }
  throw refused('The file is not a CSV file in UTF-8.', 'In a spreadsheet, save it as "CSV UTF-8" and choose it again.');
}

/** A name of a column that has the form of a phone number: `2026-11-21`, `21.11.2026`. */
const isDate = /^(\d{4}([-.])\d\d?\2\d\d?|\d\d?([-.])\d\d?\3\d{4})$/;

function columnsOf(cells: readonly string[]): string[] {
  const names = cells.map(cellOf);
  if (names.every((name) => name === '')) throw refused('The first row is empty.', 'It must be the header row.');
  if (names.length > columnsMax) throw refused(`The file has more than ${columnsMax} columns.`, 'Remove those that are not needed.');
  const address = names.find((name) => !isDate.test(name) && /^\+?[\d\s().-]{7,}$|^\S+@\S+\.\S+$/.test(name));
  if (address !== undefined) {
    throw refused(`The first row must be the header row, but contains "${address}".`, 'Add a header row, for example: to,name');
  }
  const given = names.map((name, index) => (name === '' ? `Column ${index + 1}` : name));
  const taken = new Set(given);
  const isFirst = (name: string, index: number) => given.indexOf(name) === index;
  return given.map((name, index) => (isFirst(name, index) ? name : freeName(name, taken, (count) => `${name} (${count})`)));
}

const cellOf = (text: string): string => unescaped(text.trim());

/** Null for an empty row. */
function rowOf(given: readonly string[], number: number, columns: number): SheetRow | null {
  const all = given.map(cellOf);
  const length = all.findLastIndex((cell) => cell !== '') + 1;
  if (length === 0) return null;
  const missing = Array.from<string>({ length: Math.max(0, columns - all.length) }).fill('');
  return { number, cells: [...all, ...missing].slice(0, Math.max(columns, length)), isTooLong: length > columns };
}
