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

function show(text: string): number {
  const id = next++;
  toasts.value = [...toasts.value.slice(-3), { id, text }];
  return id;
}

/** Shows a notice for a while. Screen readers announce it. */
export function toast(text: string): void {
  const id = show(text);
  setTimeout(() => dismiss(id), shownMs);
}

/** Says what went wrong, until it is closed: the screen says it nowhere else. */
export const toastProblem = (error: unknown): void => void show(problemOf(error).message);

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((each) => each.id !== id);
}
