/** Short notices about what has just happened. */
import { signal } from '@preact/signals';
import { endedText, problemOf } from '../api/problem.js';

export interface Notice {
  id: number;
  text: string;
}

/** Long enough to read it twice. The notice can also be closed. */
const shownMs = 10_000;
/** Who points at a notice or uses it has not read it yet. */
const areUsed = () => document.querySelector('.notices:is(:hover, :focus-within)') !== null;
let next = 1;

export const notices = signal<readonly Notice[]>([]);

/** What screen readers announce of something that appears without getting the focus. An object for each: the next one may have the same text. */
export const announced = signal<{ text: string } | null>(null);

/** Shows a notice for a while. Screen readers announce it. */
export function notify(text: string): void {
  dismissLater(notifyLasting(text));
}

function dismissLater(id: number): void {
  setTimeout(() => (areUsed() ? dismissLater(id) : dismiss(id)), shownMs);
}

/** Shows a notice until it is closed, because nothing else says it. @returns its id */
export function notifyLasting(text: string): number {
  const id = next++;
  notices.value = [...notices.value.slice(-3), { id, text }];
  return id;
}

/**
 * Shows what went wrong until the notice is closed, because the screen shows it nowhere else. The login screen shows the end of the session.
 * @param place the screen, where another one is shown
 */
export function notifyProblem(error: unknown, { place = '', more }: { place?: string; more?: string | undefined } = {}): void {
  const { message } = problemOf(error);
  if (message === endedText) return;
  notifyLasting(`${place === '' ? '' : `${place}: `}${message}${more === undefined ? '' : ` ${more}`}`);
}

export function dismiss(id: number): void {
  notices.value = notices.value.filter((each) => each.id !== id);
}

/** When the session ends: they are about its screens. */
export function dismissAll(): void {
  notices.value = [];
}
