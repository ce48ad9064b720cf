/** The field for a password that is chosen now. */
import { TextField } from './form.js';

export const NewPassword = ({ label = 'Password' }: { label?: string }) => (
  <TextField
    name="password"
    label={label}
    type="password"
    hint="At least 8 characters"
    autocomplete="new-password"
    minLength={8}
    maxLength={128}
    required
  />
);
