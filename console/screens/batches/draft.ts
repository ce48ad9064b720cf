/** What is written in the form of a batch, and the recipients that follow from it. */
import { Problem } from '../../api/problem.js';
import type { Schema } from '../../api/call.js';
import type { Sheet, SheetRow } from '../../csv/read-csv.js';
import { faultsOfSendAt } from '../../parts/message-fields.js';
import { momentOf } from '../../parts/time.js';
import { textOf } from '../../state/form.js';
import { placeholdersIn, recipientOf } from './mapping.js';

export type Body = Schema<'BulkToRecipients'>;
export type Recipient = Schema<'RecipientByAddress'>;

/** The fields with texts that may have placeholders. */
const textFields = ['content.text', 'content.subject', 'content.html'] as const;
/** All texts together, to find their placeholders. */
export const textsOf = (data: FormData): string => textFields.map((name) => textOf(data, name)).join('\n');
/** Fields whose faults are shown beside them, besides those of the placeholders. */
export const fields = ['channel', 'to', ...textFields, 'reference', 'rate', 'scheduled_at'] as const;
/** The name of the field that chooses the column of a placeholder. */
export const fieldOf = (placeholder: string): string => `variables.${placeholder}`;

export interface Draft {
  /** Everything but the recipients. */
  common: Omit<Body, 'recipients'>;
  /** The index of the recipients' column; -1: not chosen. */
  to: number;
  /** The index of the references' column; -1: none. */
  reference: number;
  /** Placeholder → index of its column; -1: not chosen. */
  variables: ReadonlyMap<string, number>;
}

/** @throws Problem when columns are not chosen that must be: rows need not be looked at before */
export function draftOf(data: FormData): Draft {
  const optional = (name: string, value: string | number | null) => (value === null || value === '' ? {} : { [name]: value });
  const given = (name: string) => textOf(data, name).trim();
  const columnIn = (field: string) => (given(field) === '' ? -1 : Number(given(field)));
  const placeholders = placeholdersIn(textsOf(data));
  const variables = new Map(placeholders.map(({ name }) => [name, columnIn(fieldOf(name))]));
  const draft: Draft = {
    common: {
      channel: given('channel') as Schema<'Channel'>,
      content: {
        text: textOf(data, 'content.text'),
        ...optional('subject', given('content.subject')),
        ...optional('html', given('content.html')),
      },
      ...optional('rate', given('rate') === '' ? null : Number(given('rate'))),
      ...optional('scheduled_at', momentOf(given('scheduled_at'))),
      ...(data.has('allow_duplicates') ? { allow_duplicates: true } : {}),
    },
    to: columnIn('to'),
    reference: columnIn('reference'),
    variables,
  };
  const missing = placeholders.filter(({ name, isRequired }) => isRequired && variables.get(name) === -1);
  const details = [
    ...faultsOfSendAt(draft.common.scheduled_at),
    ...(draft.to === -1 ? [{ field: 'to', message: 'Choose the column with the recipients' }] : []),
    ...missing.map(({ name }) => ({
      field: fieldOf(name),
      message: `No column fills in {{ ${name} }}: choose one, or give it a fallback`,
    })),
  ];
  if (details.length > 0) throw new Problem(400, { error: details[0]?.message ?? '', details });
  return draft;
}

/** A row as a recipient. Only cells that the text needs leave the browser. An empty cell is no value, so that the fallback applies. */
export function recipientIn({ cells }: SheetRow, { common, to, reference, variables }: Draft): Recipient {
  const values = [...variables].flatMap(([name, column]) => ((cells[column] ?? '') === '' ? [] : [[name, cells[column]]]));
  const named = cells[reference] ?? '';
  return {
    to: recipientOf(cells[to] ?? '', common.channel),
    ...(values.length === 0 ? {} : { variables: Object.fromEntries(values) as Record<string, string> }),
    ...(named === '' ? {} : { reference: named }),
  };
}

/** Why a row cannot be a recipient, whatever the API says of it. */
export const faultOfRow = ({ isTooLong }: SheetRow, { columns }: Sheet): string | null =>
  isTooLong ? `It has more than ${columns.length} cells: put texts with the delimiter in quotation marks` : null;
