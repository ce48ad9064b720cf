/** Check boxes. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { FieldGroup, useFaults } from './form.js';

interface ChoicesProps {
  name: string;
  legend: string;
  /** Values, each with what it means. */
  options: Readonly<Record<string, string>>;
  chosen: readonly string[];
  hint?: string;
}

/** A group of check boxes for several of a few values. `data.getAll(name)` has what was chosen. */
export function Choices({ name, legend, options, chosen, hint }: ChoicesProps) {
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

interface CheckFieldProps {
  name: string;
  isOn?: boolean;
  hint?: string;
  /** What "on" means. */
  children: ComponentChildren;
}

/** One check box with its label. `data.has(name)` says whether it is on. */
export function CheckField({ name, isOn = false, hint, children }: CheckFieldProps) {
  const hintId = useId();
  return (
    <div class="field">
      <label class="inline">
        <input type="checkbox" name={name} defaultChecked={isOn} aria-describedby={hint === undefined ? undefined : hintId} /> {children}
      </label>
      {hint !== undefined && (
        <p id={hintId} class="note">
          {hint}
        </p>
      )}
    </div>
  );
}
