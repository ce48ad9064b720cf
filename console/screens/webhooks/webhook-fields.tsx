/** Fields that the forms of a new and of a known webhook share. */
import { useId } from 'preact/hooks';
import { TextField } from '../../parts/form.js';

export const UrlField = ({ url = '' }: { url?: string }) => (
  <TextField
    name="url"
    label="URL"
    type="url"
    hint="An https address of your program"
    placeholder="https://example.com/tidings"
    defaultValue={url}
    required
  />
);

export function OrderField({ isOrdered = false }: { isOrdered?: boolean }) {
  const hint = useId();
  return (
    <div class="field">
      <label class="inline">
        <input type="checkbox" name="ordered" value="1" defaultChecked={isOrdered} aria-describedby={hint} /> One event at a time, oldest
        first
      </label>
      <p id={hint} class="note">
        A failing event then delays all later ones until its retries end
      </p>
    </div>
  );
}
