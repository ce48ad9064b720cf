/** Forms: what is sent, and what is wrong with each field. */
import { type ReadonlySignal, useSignal } from '@preact/signals';
import { isUnanswered, Problem, problemOf } from '../api/problem.js';
import { type Origin, useOrigin } from './origin.js';

export interface Form {
  onSubmit(event: SubmitEvent): void;
  isBusy: ReadonlySignal<boolean>;
  /** Why the last attempt failed. */
  problem: ReadonlySignal<Problem | null>;
}

/**
 * A form whose fields have the names of the fields of the operation.
 * @param send sends the form; what it throws is shown, as a notice where the form was left
 * @param unanswered what may have happened if there is no answer, where it must not happen twice
 */
export function useForm(send: (data: FormData, form: HTMLFormElement, origin: Origin) => Promise<void>, unanswered?: string): Form {
  const begin = useOrigin();
  const isBusy = useSignal(false);
  const problem = useSignal<Problem | null>(null);
  const submit = async (form: HTMLFormElement) => {
    if (isBusy.value) return;
    isBusy.value = true;
    const origin = begin();
    try {
      await send(new FormData(form), form, origin);
      problem.value = null;
    } catch (error) {
      if (origin.isLeft()) return origin.tell(error, unanswered);
      problem.value = withDoubt(problemOf(error), unanswered);
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

/** Without an answer, the advice to try again would be wrong. */
const withDoubt = (problem: Problem, unanswered: string | undefined): Problem =>
  unanswered !== undefined && isUnanswered(problem)
    ? new Problem(problem.status, {
        error: problem.message,
        code: problem.code,
        ...(problem.requestId === null ? {} : { request_id: problem.requestId }),
        hints: [unanswered],
      })
    : problem;

/** Whether a form still has what was sent. */
export const isAsSent = (form: HTMLFormElement, sent: FormData): boolean =>
  JSON.stringify([...new FormData(form)]) === JSON.stringify([...sent]);

/** The text of a field; an empty text if it is absent. */
export const textOf = (data: FormData, name: string): string => {
  const value = data.get(name);
  return typeof value === 'string' ? value : '';
};
