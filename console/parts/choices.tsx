/** Several of a few values. */
import { useId } from 'preact/hooks';
import { useFaults } from './form.js';

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
  const id = useId();
  const faults = useFaults(name);
  return (
    <fieldset aria-describedby={faults.length === 0 ? undefined : id}>
      <legend>{legend}</legend>
      {Object.entries(options).map(([value, text]) => (
        <div key={value}>
          <label>
            <input type="checkbox" name={name} value={value} defaultChecked={chosen.includes(value)} aria-invalid={faults.length > 0} />{' '}
            <code>{value}</code> <span class="note">{text}</span>
          </label>
        </div>
      ))}
      {hint !== undefined && <p class="note">{hint}</p>}
      {faults.length > 0 && (
        <p id={id} class="error">
          {faults.join('. ')}
        </p>
      )}
    </fieldset>
  );
}
