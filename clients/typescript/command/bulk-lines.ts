/** Faults of recipients, by the line of the file. */
import { TidingsError } from '../client/index.js';
import type { Chunk } from './bulk-file.js';
import type { Context } from './command.js';
import { plain } from './terminal.js';

/** A fault of a recipient as the service names it. */
export interface RowFault {
  index: number;
  field: string;
  message: string;
}

export interface LineFault {
  line: number | undefined;
  field: string;
  message: string;
}

/** The faults with the lines of their recipients. */
export const byLine = (faults: readonly RowFault[], { lines }: Chunk): LineFault[] =>
  faults.map(({ index, field, message }) => ({ line: lines[index], field, message }));

/** A remark for each fault. */
export function noteFaults({ terminal }: Pick<Context, 'terminal'>, faults: readonly LineFault[]): void {
  for (const { line, field, message } of faults) terminal.note(`line ${line ?? '?'}: ${field}: ${plain(message)}`);
}

/** Names the line of the file in the faults of a refused request. */
export const withLines =
  ({ lines }: Chunk) =>
  (error: unknown): never => {
    if (!(error instanceof TidingsError)) throw error;
    const details = error.details.map((fault) => ({
      ...fault,
      field: fault.field.replace(/^recipients\[(\d+)\]/, (_, at) => `line ${lines[Number(at)]}`),
    }));
    const [first] = details;
    if (first === undefined) throw error;
    const { status, code, hints, requestId, retryAfterSeconds } = error;
    const isOfRow = first.field !== error.details[0]?.field;
    const message = isOfRow ? `${first.field}: ${first.message}` : error.message;
    throw new TidingsError({ status, code, message, details, hints, requestId, retryAfterSeconds }, { cause: error });
  };
