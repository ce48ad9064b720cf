/** Which column of a file is the recipient, and which column fills in which placeholder. */
import { emailNames, phoneNames } from '../../csv/column-names.js';
import { freeName } from '../../csv/free-name.js';
import type { Sheet } from '../../csv/read-csv.js';
import { channelTo, traitsOf } from '../../parts/channels.js';

/** A placeholder of the text (docs/contract/batches.md, Placeholders). */
export interface Placeholder {
  name: string;
  /** Somewhere it has no fallback. */
  isRequired: boolean;
}

const pattern = /\\\{\{|\{\{\s*([\p{L}\p{M}\p{N}_.-]+)\s*(\|[^{}]*)?\}\}/gu;

/** The placeholders of a text, each once. The API reports malformed ones. */
export function placeholdersIn(text: string): Placeholder[] {
  const found = new Map<string, boolean>();
  for (const [, name, fallback] of text.matchAll(pattern)) {
    if (name !== undefined) found.set(name, found.get(name) === true || fallback === undefined);
  }
  return [...found].map(([name, isRequired]) => ({ name, isRequired }));
}

/** Removes characters that a placeholder cannot contain: `First name` becomes `First_name`. */
const cleaned = (column: string, index: number): string =>
  column.replaceAll(/[^\p{L}\p{M}\p{N}_.-]+/gu, '_').replaceAll(/^_+|_+$/g, '') || `column_${index + 1}`;

/** The placeholder of each column, each once: `Price €` and `Price $` become `Price` and `Price_2`. */
export function placeholdersOf(columns: readonly string[]): string[] {
  const names = columns.map(cleaned);
  // A column whose name can be a placeholder as it is keeps it.
  const isKept = (name: string, index: number) => name === columns[index];
  const taken = new Set(names.filter(isKept));
  return names.map((name, index) => (isKept(name, index) ? name : freeName(name, taken, (count) => `${name}_${count}`)));
}

/** Names are the same whatever their case, spaces and signs: `first_name`, `First name`. */
const plain = (name: string) => name.toLowerCase().replaceAll(/[^\p{L}\p{M}\p{N}]/gu, '');

/** The column with the name of the placeholder; -1: there is none. */
export function columnFor(placeholder: string, columns: readonly string[]): number {
  const exact = placeholdersOf(columns).indexOf(placeholder);
  return exact === -1 ? columns.findIndex((column) => plain(column) === plain(placeholder)) : exact;
}

const anyNames = ['to', 'recipient'];
/** How a column with addresses is named, and what its cells look like. */
const addresses = {
  phone: { names: phoneNames, pattern: /^\+\d{7,15}$/ },
  email: { names: emailNames, pattern: /^\S+@\S+\.\S+$/ },
} as const;

/** The column with the recipients, by its name or else by its first cell; -1: none looks like it. */
export function recipientColumn({ columns, rows }: Sheet, channel: string): number {
  const { names: ownNames, pattern: looks } = addresses[traitsOf(channel).address];
  const names: readonly string[] = [...anyNames, ...ownNames];
  const cells = rows[0]?.cells ?? [];
  const named = columns.flatMap((column, index) => (names.includes(plain(column)) ? index : []));
  const hasRecipientInFirstRow = (index: number) => looks.test(recipientOf(cells[index] ?? '', channel));
  // The first row may have more cells than there are columns.
  return named.find(hasRecipientInFirstRow) ?? named[0] ?? columns.findIndex((_, index) => hasRecipientInFirstRow(index));
}

/** A file with addresses and without phone numbers is for e-mails. */
export function channelFor(sheet: Sheet): string {
  const [phone, email] = [channelTo('phone'), channelTo('email')];
  const byPhone = recipientColumn(sheet, phone);
  if (recipientColumn(sheet, email) === -1) return phone;
  return byPhone === -1 || addresses.email.pattern.test(sheet.rows[0]?.cells[byPhone] ?? '') ? email : phone;
}

/**
 * The recipient in a cell. Phone numbers are often written with spaces and signs between their digits. `(0)` is not dialled with the country
 * code, so such a number is left as it is, for the API to refuse.
 */
export function recipientOf(cell: string, channel: string): string {
  const digits = cell.replaceAll(/[\s().-]/g, '');
  return traitsOf(channel).address === 'phone' && /^\+\d+$/.test(digits) && !cell.includes('(0') ? digits : cell;
}
