/** Short notices about what has just happened. */
import { signal } from '@preact/signals';
import { endedText, problemOf } from '../api/problem.js';

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

/**
 * Says what went wrong, until it is closed: the screen says it nowhere else. The end of the session is said by the sign-in screen.
 * @param place the screen, where another one is shown
 */
export function toastProblem(error: unknown, { place = '', more }: { place?: string; more?: string | undefined } = {}): void {
  const { message } = problemOf(error);
  if (message === endedText) return;
  show(`${place === '' ? '' : `${place}: `}${message}${more === undefined ? '' : ` ${more}`}`);
}

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((each) => each.id !== id);
}

/** With the session, whose screens they are about. */
export function dismissAll(): void {
  toasts.value = [];
}
