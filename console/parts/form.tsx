/** Forms: labelled fields with their errors. */
import { type ComponentChildren, createContext, type JSX } from 'preact';
import { useContext, useId } from 'preact/hooks';
import type { Problem } from '../api/problem.js';
import type { Form as FormState } from '../state/form.js';
import { useKeptFields } from '../state/kept-fields.js';
import { ProblemBox } from './problem-box.js';

const FormProblem = createContext<Problem | null>(null);

interface FormProps {
  form: FormState;
  /** What the button does. It also tells the forms of a screen apart. */
  action: string;
  /** The names of the fields. Errors of other fields are shown above the form. */
  fields: readonly string[];
  children: ComponentChildren;
  /** Beside the button. */
  more?: ComponentChildren;
  /** What the button does cannot be undone. */
  isDanger?: boolean;
}

export function Form({ form, action, fields, children, more, isDanger = false }: FormProps) {
  const problem = form.problem.value;
  const { element, changed } = useKeptFields(action);
  const isOfFields =
    problem !== null && problem.details.length > 0 && problem.details.every(({ field }) => fields.some((name) => isOf(name, field)));
  return (
    <form ref={element} onSubmit={form.onSubmit} onInput={changed} method="post">
      {problem !== null && !isOfFields && <ProblemBox problem={problem} />}
      <FormProblem.Provider value={problem}>{children}</FormProblem.Provider>
      {isOfFields &&
        problem.hints.map((hint) => (
          <p key={hint} class="note">
            {hint}
          </p>
        ))}
      <p class="actions">
        <button class={isDanger ? 'danger' : 'primary'} aria-disabled={form.isBusy.value}>
          {action}
        </button>
        {more}
      </p>
    </form>
  );
}

/** A fault of an item (`events[1]`) is shown at its list. */
const isOf = (name: string, field: string) => field === name || field.startsWith(`${name}[`);

/** What is wrong with a field of the form around it. */
export const useFaults = (name: string): readonly string[] =>
  useContext(FormProblem)
    ?.details.filter(({ field }) => isOf(name, field))
    .map(({ message }) => message) ?? [];

interface FieldProps {
  /** As in the operation's body, for example `content.text`. */
  name: string;
  label: string;
  hint?: string;
  children(control: Control): JSX.Element;
}

/** The attributes of the input. */
interface Control {
  id: string;
  name: string;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean;
}

/** A label, an input, a hint and an error, tied together for screen readers. */
export function Field({ name, label, hint, children }: FieldProps) {
  const id = useId();
  const errors = useFaults(name);
  const described = [...(hint === undefined ? [] : [`${id}-hint`]), ...(errors.length === 0 ? [] : [`${id}-error`])].join(' ');
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, name, 'aria-describedby': described === '' ? undefined : described, 'aria-invalid': errors.length > 0 })}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="note">
          {hint}
        </p>
      )}
      {errors.length > 0 && (
        <p id={`${id}-error`} class="error">
          {errors.join('. ')}
        </p>
      )}
    </div>
  );
}

/** Several inputs of one field, with its errors. */
export function FieldGroup({ name, legend, children }: { name: string; legend: string; children: ComponentChildren }) {
  const id = useId();
  const errors = useFaults(name);
  return (
    <fieldset aria-describedby={errors.length === 0 ? undefined : id}>
      <legend>{legend}</legend>
      {children}
      {errors.length > 0 && (
        <p id={id} class="error" role="alert" tabIndex={-1}>
          {errors.join('. ')}
        </p>
      )}
    </fieldset>
  );
}

interface TextProps {
  name: string;
  label: string;
  hint?: string;
  type?: 'text' | 'email' | 'tel' | 'url' | 'password' | 'search' | 'number' | 'datetime-local' | 'date';
  defaultValue?: string;
  autocomplete?: 'off' | 'username' | 'email' | 'current-password' | 'new-password' | 'one-time-code' | 'organization' | 'country';
  placeholder?: string;
  inputMode?: 'numeric' | 'decimal';
  pattern?: string;
  /** What the pattern accepts. Browsers add it to their error. */
  title?: string;
  required?: boolean;
  minLength?: number;
  maxLength?: number;
  min?: number;
  /** Any: also parts of the unit. Without it, browsers take whole numbers only. */
  step?: 'any';
}

/** A field with a one-line input. */
export function TextField({ name, label, hint, type = 'text', ...input }: TextProps) {
  return (
    <Field name={name} label={label} {...(hint === undefined ? {} : { hint })}>
      {/* The types of Preact have a kind of input for each type; what is given here fits all of them. */}
      {(control) => <input {...input} {...control} type={type as 'text'} dir="auto" />}
    </Field>
  );
}

interface SelectProps {
  name: string;
  label: string;
  hint?: string;
  /** Values and their texts. */
  options: readonly (readonly [value: string, text: string])[];
  selected?: string;
  changed?(value: string): void;
}

/** A field with a choice. What the user chose stays when the screen is drawn again. */
export function SelectField({ name, label, hint, options, selected = '', changed }: SelectProps) {
  return (
    <Field name={name} label={label} {...(hint === undefined ? {} : { hint })}>
      {(control) => (
        <select {...control} onChange={(event) => changed?.(event.currentTarget.value)}>
          {options.map(([value, text]) => (
            <option key={value} value={value} selected={value === selected}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
