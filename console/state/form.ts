/** Forms: what is sent, and what is wrong with each field. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { type Problem, problemOf } from '../api/problem.js';

export interface Form {
  onSubmit(event: SubmitEvent): void;
  isBusy: ReadonlySignal<boolean>;
  /** Why the last attempt failed. */
  problem: ReadonlySignal<Problem | null>;
}

/**
 * A form whose fields have the names of the fields of the operation.
 * @param send sends the form; what it throws is shown
 */
export function useForm(send: (data: FormData, form: HTMLFormElement) => Promise<void>): Form {
  const isBusy = useSignal(false);
  const problem = useSignal<Problem | null>(null);
  const submit = async (form: HTMLFormElement) => {
    if (isBusy.value) return;
    isBusy.value = true;
    try {
      await send(new FormData(form), form);
      problem.value = null;
    } catch (error) {
      problem.value = problemOf(error);
      // After the errors are drawn: the first field with one, else the message above the form.
      requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid=true], [role=alert]')?.focus());
    } finally {
      isBusy.value = false;
    }
  };
  return {
    onSubmit(event) {
      event.preventDefault();
      void submit(event.currentTarget as HTMLFormElement);
    },
    isBusy,
    problem,
  };
}

/** The text of a field; an empty text if it is absent. */
export const textOf = (data: FormData, name: string): string => {
  const value = data.get(name);
  return typeof value === 'string' ? value : '';
};
