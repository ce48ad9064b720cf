/** The import of contacts: one request for each row, because the API creates one contact at a time. */
import { call } from '../../api/call.js';
import { Problem } from '../../api/problem.js';
import { patiently, pause } from '../../csv/patiently.js';
import type { Sheet, SheetRow } from '../../csv/read-csv.js';
import { contactOf, type Mapping } from './mapping.js';

/** At the pace below they take a quarter of an hour. */
export const rowsMax = 1_000;

/** The first rows go at once. More would use up the requests of the workspace, so that its other screens were refused. */
const rowsAtOnce = 40;
const rowEveryMs = 900;

export interface Fault {
  row: SheetRow;
  reason: string;
}

export interface Progress {
  done: number;
  created: number;
  faults: readonly Fault[];
}

interface Import {
  sheet: Sheet;
  /** What an earlier run has done: the rows after it are imported. */
  from: Progress;
  mapping: Mapping;
  progress(now: Progress): void;
  signal: AbortSignal;
}

/**
 * Creates the contacts row by row. A row that is refused does not stop the others.
 * @throws Problem for what concerns all rows, such as a lost connection or session; AbortError after `signal`
 */
export async function runImport({ sheet, from, mapping, progress, signal }: Import): Promise<void> {
  let now = from;
  for (const row of sheet.rows.slice(from.done)) {
    if (now.done >= rowsAtOnce) await pause(rowEveryMs, signal);
    signal.throwIfAborted();
    const reason = await create(row, sheet, mapping, signal);
    now =
      reason === null
        ? { ...now, done: now.done + 1, created: now.created + 1 }
        : { ...now, done: now.done + 1, faults: [...now.faults, { row, reason }] };
    progress(now);
  }
}

/** @returns why the row was refused; null when the contact is created */
async function create(row: SheetRow, sheet: Sheet, mapping: Mapping, signal: AbortSignal): Promise<string | null> {
  let body: ReturnType<typeof contactOf>;
  try {
    body = contactOf(row, sheet, mapping);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  try {
    await patiently(() => call('post', '/api/v1/contacts', { body, signal }), signal);
    return null;
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 400) throw error;
    return error.details.length === 0 ? error.message : error.details.map(({ message }) => message).join('. ');
  }
}
