/** Questions before something that cannot be undone. */
import { signal } from '@preact/signals';

export interface Question {
  title: string;
  text: string;
  /** What the button does, as a verb: "Cancel the message". */
  action: string;
  answer(isConfirmed: boolean): void;
}

/** The open question. */
export const question = signal<Question | null>(null);

/** Answers the open question with no, because what it is about is no longer shown. */
export const closeQuestion = (): void => question.value?.answer(false);

/** Asks, and waits for the answer. */
export function confirm(asked: Omit<Question, 'answer'>): Promise<boolean> {
  closeQuestion();
  return new Promise((resolve) => {
    const answer = (isConfirmed: boolean) => {
      question.value = null;
      resolve(isConfirmed);
    };
    question.value = { ...asked, answer };
  });
}
