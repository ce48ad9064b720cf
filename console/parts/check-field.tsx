/** A field that is on or off. */
import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

interface Props {
  name: string;
  isOn?: boolean;
  hint?: string;
  /** What "on" means. */
  children: ComponentChildren;
}

/** One check box with its label. `data.has(name)` says whether it is on. */
export function CheckField({ name, isOn = false, hint, children }: Props) {
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
