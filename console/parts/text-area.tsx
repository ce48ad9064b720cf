/** A field with several lines. */
import { Field } from './form.js';

interface Props {
  name: string;
  label: string;
  hint?: string;
  /** What it contains at first. */
  value?: string;
  rows: number;
  isRequired?: boolean;
}

export function TextArea({ value = '', rows, isRequired = false, ...field }: Props) {
  return (
    <Field {...field}>{(control) => <textarea {...control} dir="auto" rows={rows} defaultValue={value} required={isRequired} />}</Field>
  );
}
