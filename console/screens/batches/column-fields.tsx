/** Columns of the file: which has the recipients, and which fills in which placeholder. */
import type { Sheet } from '../../csv/read-csv.js';
import { traitsOf } from '../../parts/channels.js';
import { SelectField } from '../../parts/form.js';
import { fieldOf } from './draft.js';
import { columnFor, type Placeholder, placeholdersOf, recipientColumn } from './mapping.js';

interface Props {
  sheet: Sheet;
  channel: string;
  placeholders: readonly Placeholder[];
  /** Field → the column that the user chose; empty: none. A file with the same column begins with that choice. */
  chosen: Map<string, string>;
}

/** A column with the beginning of its first cell. */
const shownMax = 30;
/** By characters: half of an emoji is none. */
function shortened(text: string): string {
  const characters = [...text];
  return characters.length > shownMax ? `${characters.slice(0, shownMax).join('')}…` : text;
}

/** The numbers of the columns, and what is shown of each. */
const optionsOf = ({ columns, rows }: Sheet) =>
  columns.map((column, index) => {
    const sample = rows[0]?.cells[index] ?? '';
    return [String(index), sample === '' ? shortened(column) : `${shortened(column)}: ${shortened(sample)}`] as const;
  });

/** The column of a field: as the user chose it, else the likely one; -1: none. */
function choiceOf(field: string, likely: number, { sheet: { columns }, chosen }: Props) {
  const name = chosen.get(field);
  const index = columns.indexOf(name ?? '');
  const selected = index === -1 && name !== '' ? likely : index;
  return {
    selected: selected === -1 ? '' : String(selected),
    changed: (value: string) => void chosen.set(field, columns[Number(value || -1)] ?? ''),
  };
}

export function ColumnFields(props: Props) {
  const { sheet, channel, placeholders } = props;
  const options = optionsOf(sheet);
  // Another channel may have its recipients in another column.
  const recipients = traitsOf(channel).address;
  return (
    <fieldset>
      <legend>Columns</legend>
      <SelectField
        key={recipients}
        name="to"
        label="Recipients are in"
        options={[['', 'choose a column'], ...options]}
        {...choiceOf(recipients, recipientColumn(sheet, channel), props)}
      />
      {placeholders.map(({ name, isRequired }) => (
        <SelectField
          key={name}
          name={fieldOf(name)}
          label={`{{ ${name} }} is in`}
          options={[['', isRequired ? 'choose a column' : 'no column: its fallback'], ...options]}
          {...choiceOf(fieldOf(name), columnFor(name, sheet.columns), props)}
        />
      ))}
      <SelectField
        name="reference"
        label="References are in (optional)"
        hint="Your own names of the messages, for example order numbers"
        options={[['', 'no column'], ...options]}
        {...choiceOf('reference', columnFor('reference', sheet.columns), props)}
      />
    </fieldset>
  );
}

/** Buttons that write the placeholder of a column into the text, where the cursor is. */
export function PlaceholderButtons({ sheet: { columns } }: { sheet: Sheet }) {
  const names = placeholdersOf(columns);
  return (
    <p class="actions placeholders">
      <span class="note">Insert</span>
      {columns.map((column, index) => {
        const placeholder = `{{ ${names[index] ?? ''} }}`;
        return (
          <button key={column} type="button" onClick={({ currentTarget }) => insert(currentTarget.form, placeholder)}>
            {placeholder}
          </button>
        );
      })}
    </p>
  );
}

function insert(form: HTMLFormElement | null, text: string): void {
  const field = form?.elements.namedItem('content.text');
  if (!(field instanceof HTMLTextAreaElement)) return;
  field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end');
  field.focus();
  // As if it were typed: the form looks at its texts.
  field.dispatchEvent(new Event('input', { bubbles: true }));
}
