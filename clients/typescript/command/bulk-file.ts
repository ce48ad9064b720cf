/** A CSV file as the requests of a bulk send. The same file and options give the same requests, so that a send can be resumed. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { type CsvError, parse } from 'csv-parse';
import type { NewBatch } from '../client/index.js';
import { inWords, UsageError } from './command.js';

/** Limits of one request (docs/contract/batches.md): recipients, and bytes with room for the rest of the body. */
const recipientsMax = 10_000;
const bytesMax = 3_500_000;

export interface BulkOptions {
  file: string;
  /** Column of the recipients; found by its name if it is not given. */
  to?: string;
  /** Name of a placeholder → column. Columns that are not named here have the placeholder of their own name. */
  columns: ReadonlyMap<string, string>;
  allowDuplicates: boolean;
  /** All other fields of the request. */
  body: Omit<Extract<NewBatch, { recipients: unknown }>, 'recipients'> | Record<string, unknown>;
  /** Part of the idempotency keys: another name sends the same file again. */
  run: string;
}

export interface Recipient {
  to: string;
  variables: Record<string, string>;
}

/** One request. */
export interface Chunk {
  recipients: Recipient[];
  /** The line of the file on which the row of each recipient begins, from 1. */
  lines: number[];
  /** Rows that were left out of it, since their recipient was there before. */
  duplicates: number;
}

/** The body of the request for these recipients. */
export const requestOf = ({ body }: BulkOptions, recipients: readonly Recipient[]): Record<string, unknown> => ({ ...body, recipients });

/** The rows of a file can come from different systems. Without this list, csv-parse accepts only the line end of the header. */
const lineEnds = ['\r\n', '\n', '\r'];

const recipientColumns = ['to', 'recipient', 'phone', 'email'];

/** The requests, one after the other. @throws UsageError for a file that cannot be read as it should */
export async function* readChunks(options: BulkOptions): AsyncGenerator<Chunk, void> {
  const seen = new Set<string>();
  let chunk: Chunk = { recipients: [], lines: [], duplicates: 0 };
  let bytes = 0;
  for await (const { recipient, line } of readRows(options)) {
    const key = recipient.to.toLowerCase(); // the service also knows numbers with two spellings, in one request
    if (!options.allowDuplicates && key !== '' && seen.has(key)) {
      chunk.duplicates += 1;
      continue;
    }
    seen.add(key);
    const size = Buffer.byteLength(JSON.stringify(recipient)) + 1;
    if (chunk.recipients.length === recipientsMax || (bytes + size > bytesMax && bytes > 0)) {
      yield chunk;
      chunk = { recipients: [], lines: [], duplicates: 0 };
      bytes = 0;
    }
    chunk.recipients.push(recipient);
    chunk.lines.push(line);
    bytes += size;
  }
  if (chunk.recipients.length > 0) yield chunk;
}

async function* readRows(options: BulkOptions): AsyncGenerator<{ recipient: Recipient; line: number }, void> {
  let doubled = 0; // csv-parse counts two lines for a `\r\n` in a cell
  const columns = (names: string[]) => {
    doubled += countOf(/\r\n/g, names);
    return distinct(names);
  };
  const parser = parse({ bom: true, columns, info: true, record_delimiter: lineEnds, skip_empty_lines: true, trim: true });
  const reading = pipeline(createReadStream(options.file), decoded, parser).catch((error: unknown) => error);
  let column: string | undefined;
  try {
    for await (const item of parser) {
      const { record, info } = item as { record: Record<string, string>; info: { lines: number } };
      column ??= columnOf(options, Object.keys(record));
      const cells = Object.values(record);
      doubled += countOf(/\r\n/g, cells);
      const line = info.lines - doubled - countOf(/\r\n|\r|\n/g, cells);
      yield { recipient: recipientOf(record, column, options.columns), line };
    }
  } catch (error) {
    throw new UsageError(`${options.file}: ${(error as CsvError).message}`, { cause: error });
  } finally {
    parser.destroy();
    await reading;
  }
}

const countOf = (pattern: RegExp, cells: readonly string[]): number =>
  cells.reduce((count, cell) => count + (cell.match(pattern)?.length ?? 0), 0);

/** Other encodings are refused: with a wrong guess, names would be sent with wrong letters. */
async function* decoded(bytes: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const textOf = (chunk?: Buffer) => {
    try {
      const text = decoder.decode(chunk, { stream: chunk !== undefined });
      if (!text.includes('\0')) return text;
    } catch {
      // It is refused below.
    }
    throw new Error('it is not a CSV file in UTF-8: in a spreadsheet, save it as "CSV UTF-8"');
  };
  for await (const chunk of bytes) yield textOf(chunk);
  yield textOf();
}

/** Of two columns with one name, only one could fill its placeholder. */
function distinct(names: string[]): string[] {
  const twice = names.find((name, index) => name !== '' && names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`two columns have the name ${twice}`);
  return names;
}

function columnOf({ to, columns }: BulkOptions, names: readonly string[]): string {
  const byName = recipientColumns.flatMap((wanted) => names.filter((name) => name.toLowerCase() === wanted));
  const found = to ?? byName[0];
  if (found === undefined) throw new Error(`no column is named ${inWords(recipientColumns)}: name it with --to`);
  for (const name of [found, ...columns.values()]) {
    if (!names.includes(name)) throw new Error(`there is no column ${name}. The columns are: ${names.join(', ')}`);
  }
  return found;
}

/** Cells without a text are left out: their placeholder has its fallback then, or is missing. */
function recipientOf(record: Record<string, string>, column: string, columns: ReadonlyMap<string, string>): Recipient {
  const mapped = new Set(columns.values());
  const variables: Record<string, string> = {};
  for (const [name, value] of Object.entries(record)) if (value !== '' && name !== column && !mapped.has(name)) variables[name] = value;
  for (const [placeholder, name] of columns) if ((record[name] ?? '') !== '') variables[placeholder] = record[name] ?? '';
  return { to: record[column] ?? '', variables };
}

/**
 * The first part of the idempotency keys: it follows from the bytes of the file and from the options. Whether rows with faults are left out is not
 * part of it: a user who decides that after a refusal continues from the refused request.
 */
export async function keyOf({ file, to, columns, allowDuplicates, body, run }: BulkOptions): Promise<string> {
  const { on_invalid: _, ...decisive } = body as Record<string, unknown>;
  const hash = createHash('sha256').update(JSON.stringify([to ?? null, [...columns], allowDuplicates, decisive, run]));
  try {
    if (!(await stat(file)).isFile()) throw new Error('it is not a regular file: bulk reads it more than once');
    await pipeline(createReadStream(file), hash);
  } catch (error) {
    throw new UsageError(`${file}: ${(error as Error).message}`, { cause: error });
  }
  return `bulk-${hash.digest('hex').slice(0, 40)}`;
}
