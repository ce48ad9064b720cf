/** Fields that the forms of a new and of a known webhook share. */
import { CheckField } from '../../parts/check-boxes.js';
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
  const hint = 'A failing event then delays all later ones until its retries end';
  return (
    <CheckField name="ordered" isOn={isOrdered} hint={hint}>
      One event at a time, oldest first
    </CheckField>
  );
}
