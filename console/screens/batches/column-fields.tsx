/** Columns of the file: which has the recipients, and which fills in which placeholder. */
import type { Sheet } from '../../csv/read-csv.js';
import { SelectField } from '../../parts/form.js';
import { fieldOf } from './draft.js';
import { columnFor, type Placeholder, placeholdersOf, recipientColumn } from './mapping.js';

interface Props {
  sheet: Sheet;
  channel: string;
  placeholders: readonly Placeholder[];
}

/** A column with the beginning of its first cell. */
const shownMax = 30;
const shortened = (text: string) => (text.length > shownMax ? `${text.slice(0, shownMax)}…` : text);

export function ColumnFields({ sheet, channel, placeholders }: Props) {
  const { columns, rows } = sheet;
  const options = columns.map((column, index) => {
    const sample = rows[0]?.cells[index] ?? '';
    return [String(index), sample === '' ? shortened(column) : `${shortened(column)}: ${shortened(sample)}`] as const;
  });
  const chosen = (index: number) => (index === -1 ? '' : String(index));
  return (
    <fieldset>
      <legend>Columns</legend>
      <SelectField
        // Another channel may have its recipients in another column.
        key={channel === 'email' ? 'email' : 'phone'}
        name="to"
        label="Recipients are in"
        options={[['', 'choose a column'], ...options]}
        selected={chosen(recipientColumn(sheet, channel))}
      />
      {placeholders.map(({ name, isRequired }) => (
        <SelectField
          key={name}
          name={fieldOf(name)}
          label={`{{ ${name} }} is in`}
          options={[['', isRequired ? 'choose a column' : 'no column: its fallback'], ...options]}
          selected={chosen(columnFor(name, columns))}
        />
      ))}
      <SelectField
        name="reference"
        label="References are in (optional)"
        hint="Your own names of the messages, for example order numbers"
        options={[['', 'no column'], ...options]}
        selected={chosen(columnFor('reference', columns))}
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
