/** Short notices about what has just happened. */
import { signal } from '@preact/signals';
import { problemOf } from '../api/problem.js';

export interface Toast {
  id: number;
  text: string;
}

/** Long enough to read it twice. The notice can also be closed. */
const shownMs = 10_000;
let next = 1;

export const toasts = signal<readonly Toast[]>([]);

/** Shows a notice. Screen readers announce it. */
export function toast(text: string): void {
  const id = next++;
  toasts.value = [...toasts.value.slice(-3), { id, text }];
  setTimeout(() => dismiss(id), shownMs);
}

/** Says what went wrong. */
export const toastProblem = (error: unknown): void => toast(problemOf(error).message);

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((each) => each.id !== id);
}
