/** The import of contacts: one request for each row, because the API creates one contact at a time. */
import { call } from '../../api/call.js';
import { isUnanswered, Problem } from '../../api/problem.js';
import { patiently } from '../../api/patiently.js';
import type { Sheet, SheetRow } from '../../csv/read-csv.js';
import { contactOf, type Mapping } from './mapping.js';

/** With the rate limit of a workspace they take about a quarter of an hour. */
export const rowsMax = 1_000;

/** What is wrong with one row: a fault of it, or its size. */
const refusals: ReadonlySet<number> = new Set([400, 413]);

export interface Fault {
  row: SheetRow;
  reason: string;
}

export interface Progress {
  done: number;
  created: number;
  faults: readonly Fault[];
  /** A request of the first row that is not done had no answer: its contact may be there. */
  isUnknown: boolean;
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
export async function runImport(given: Import): Promise<void> {
  const { sheet, from, progress, signal } = given;
  let now = from;
  const update = (next: Partial<Progress>) => progress((now = { ...now, ...next }));
  for (const row of sheet.rows.slice(from.done)) {
    signal.throwIfAborted();
    const reason = await create(row, given, () => update({ isUnknown: true }));
    if (reason === null) update({ done: now.done + 1, created: now.created + 1, isUnknown: false });
    else {
      const fault = { row, reason: now.isUnknown ? `${reason}. Perhaps by this row: an earlier response was lost` : reason };
      update({ done: now.done + 1, faults: [...now.faults, fault], isUnknown: false });
    }
  }
}

/** @returns why the row was refused; null when the contact is created */
async function create(row: SheetRow, { sheet, mapping, signal }: Import, unanswered: () => void): Promise<string | null> {
  let body: ReturnType<typeof contactOf>;
  try {
    body = contactOf(row, sheet, mapping);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const request = () =>
    call('post', '/api/v1/contacts', { body, signal }).catch((error: unknown) => {
      // A stopped request may have arrived, too.
      if (isUnanswered(error) || signal.aborted) unanswered();
      throw error;
    });
  try {
    await patiently(request, signal);
    return null;
  } catch (error) {
    if (!(error instanceof Problem) || !refusals.has(error.status)) throw error;
    return error.details.length === 0 ? error.message : error.details.map(({ message }) => message).join('. ');
  }
}
