/** Several of a few values. */
import { FieldGroup, useFaults } from './form.js';

interface Props {
  name: string;
  legend: string;
  /** Values, each with what it means. */
  options: Readonly<Record<string, string>>;
  chosen: readonly string[];
  hint?: string;
}

/** A group of check boxes. `data.getAll(name)` has what was chosen. */
export function Choices({ name, legend, options, chosen, hint }: Props) {
  const isInvalid = useFaults(name).length > 0;
  return (
    <FieldGroup name={name} legend={legend}>
      {Object.entries(options).map(([value, text]) => (
        <div key={value}>
          <label>
            <input type="checkbox" name={name} value={value} defaultChecked={chosen.includes(value)} aria-invalid={isInvalid} />{' '}
            <code>{value}</code> <span class="note">{text}</span>
          </label>
        </div>
      ))}
      {hint !== undefined && <p class="note">{hint}</p>}
    </FieldGroup>
  );
}
