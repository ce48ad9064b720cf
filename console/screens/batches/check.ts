/** What the API says of each row, before anything is sent. */
import { call } from '../../api/call.js';
import { Problem } from '../../api/problem.js';
import type { Sheet } from '../../csv/read-csv.js';
import { type Body, type Draft, faultOfRow, recipientIn } from './draft.js';

/** The limits of one bulk send (docs/contract/batches.md, limits.md). */
export const recipientsMax = 10_000;
const bodyBytesMax = 4 * 1024 * 1024;

/** One row of the file. */
export interface CheckedRow {
  /** As a spreadsheet counts them. */
  number: number;
  to: string;
  /** What the recipient would read; empty if that is unknown. */
  text: string;
  credits: number;
  state: 'ready' | 'invalid' | 'duplicate';
  /** Why it is not sent. */
  reasons: readonly string[];
}

export interface Checked {
  rows: readonly CheckedRow[];
  /** Sends exactly the rows that are ready; null if there is none. */
  body: Body | null;
  credits: number;
  /** The row of each recipient in `body`. */
  sent: readonly CheckedRow[];
  /** Probable mistakes in what is sent. */
  warnings: readonly string[];
}

/**
 * Reads the preview of all rows in one request.
 * @throws Problem for faults of the form, of the columns and of the size, which come before those of rows
 */
export async function check(sheet: Sheet, draft: Draft): Promise<Checked> {
  const given = sheet.rows.map((row) => ({ row, recipient: recipientIn(row, draft), fault: faultOfRow(row, sheet) }));
  const usable = given.filter(({ fault }) => fault === null);
  const body: Body = { ...draft.common, recipients: usable.map(({ recipient }) => recipient) };
  assertFits(body);
  const {
    messages = [],
    credits,
    warnings = [],
  } = usable.length === 0 ? { messages: [], credits: 0 } : await call('post', '/api/v1/messages/preview', { body });
  const answers = new Map(usable.map(({ row }, index) => [row.number, messages[index]]));
  const rows = given.map(({ row: { number }, recipient: { to }, fault }): CheckedRow => {
    const answer = answers.get(number);
    const reasons = answer?.errors.map(({ message }) => inWordsOfTheFile(message)) ?? [fault ?? 'It was not checked'];
    const state = stateOf(reasons, answer?.credits);
    const said = state === 'duplicate' ? ['The recipient is in an earlier row'] : reasons;
    return { number, to, text: answer?.text ?? '', credits: answer?.credits ?? 0, state, reasons: said };
  });
  const sent = rows.filter(({ state }) => state === 'ready');
  const recipients = given.filter((_, index) => rows[index]?.state === 'ready').map(({ recipient }) => recipient);
  return {
    rows,
    body: recipients.length === 0 ? null : { ...body, recipients },
    credits,
    sent,
    warnings: warnings.map(({ message }) => message),
  };
}

/** @param credits that the recipient costs. What is neither invalid nor paid for is a recipient that was there before */
function stateOf(reasons: readonly string[], credits: number | undefined): CheckedRow['state'] {
  if (reasons.length > 0) return 'invalid';
  return credits === 0 ? 'duplicate' : 'ready';
}

function assertFits(body: Body): void {
  const bytes = new Blob([JSON.stringify(body)]).size;
  if (bytes <= bodyBytesMax) return;
  const error = `Recipients and values have ${(bytes / 1024 / 1024).toFixed(1)} MB together. A batch can have 4 MB.`;
  throw new Problem(400, { error, hints: ['Split the file, or use fewer columns in the text.'] });
}

/** `Missing required field: recipients[3].variables.name` → `Missing required field: name`: the row is named beside it. */
const inWordsOfTheFile = (message: string) => message.replaceAll(/\brecipients\[\d+\]\.(variables\.)?/g, '');
