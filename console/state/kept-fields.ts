/** The fields of a form that its user has changed, for a login after the end of the session. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { useKept } from './kept.js';

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

interface KeptField {
  name: string;
  /** Its place among the fields with this name. */
  at: number;
  /** What it had before the change. A field that begins with something else by then is another one, or was changed elsewhere. */
  before: string;
  value: string;
  isChecked: boolean;
}

/**
 * Keeps the changed fields of a form, without passwords and codes.
 * @returns the form, and the handler of its `input` events
 */
export function useKeptFields(name: string): { element: RefObject<HTMLFormElement | null>; changed(event: Event): void } {
  const element = useRef<HTMLFormElement>(null);
  const touched = useRef(new WeakSet<EventTarget>());
  const observer = useRef<MutationObserver | null>(null);
  useKept<KeptField[]>(
    name,
    () =>
      fieldsOf(element.current)
        .filter(({ control }) => touched.current.has(control))
        .map(({ field }) => field),
    (fields) => {
      const left = new Set(fields);
      const fillIn = () => {
        fill(element.current, left);
        if (left.size === 0) observer.current?.disconnect();
      };
      // Some fields appear because of others, for example the subject of an e-mail.
      observer.current = new MutationObserver(fillIn);
      if (element.current !== null) observer.current.observe(element.current, { childList: true, subtree: true });
      fillIn();
    },
  );
  useEffect(() => () => observer.current?.disconnect(), []);
  return { element, changed: ({ target }) => void (target !== null && touched.current.add(target)) };
}

const isSecret = ({ type, autocomplete }: Control) => type === 'password' || autocomplete === 'one-time-code';

function beforeOf(control: Control): string {
  if (control instanceof HTMLSelectElement) return '';
  return control instanceof HTMLInputElement && control.type === 'checkbox' ? String(control.defaultChecked) : control.defaultValue;
}

const isControl = (element: Element): element is Control =>
  element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement || element instanceof HTMLSelectElement;

function fieldsOf(form: HTMLFormElement | null): { control: Control; field: KeptField }[] {
  const counts = new Map<string, number>();
  const controls = [...(form?.elements ?? [])].filter(isControl).filter((control) => !isSecret(control));
  return controls.map((control) => {
    const { name, value } = control;
    const at = counts.get(name) ?? 0;
    counts.set(name, at + 1);
    return { control, field: { name, at, before: beforeOf(control), value, isChecked: 'checked' in control && control.checked } };
  });
}

/** Fills in the fields that are there, as if their user did. They are taken out of `left`. */
function fill(form: HTMLFormElement | null, left: Set<KeptField>): void {
  for (const { control, field } of fieldsOf(form)) {
    const found = [...left].find(({ name, at, before }) => name === field.name && at === field.at && before === field.before);
    if (found === undefined) continue;
    left.delete(found);
    if ('checked' in control) control.checked = found.isChecked;
    control.value = found.value;
    for (const type of ['input', 'change']) control.dispatchEvent(new Event(type, { bubbles: true }));
  }
}
