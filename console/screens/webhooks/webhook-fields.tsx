/** Fields that the forms of a new and of a known webhook share. */
import { Field, TextField } from '../../parts/form.js';

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

export const OrderField = ({ isOrdered = false }: { isOrdered?: boolean }) => (
  <Field name="ordered" label="Order" hint="A failing event then delays all later ones until its retries end">
    {(control) => (
      <span>
        <input type="checkbox" value="1" defaultChecked={isOrdered} {...control} /> One event at a time, oldest first
      </span>
    )}
  </Field>
);
