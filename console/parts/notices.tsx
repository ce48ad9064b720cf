/** What lies over every screen: notices, and the question before something that cannot be undone. */
import { useEffect, useRef } from 'preact/hooks';
import { question } from '../state/confirm.js';
import { announced, dismiss, notices } from '../state/notices.js';

/** Whether Escape does something else: it ends the input of a word, or empties a search field. */
const isUsed = ({ defaultPrevented, isComposing, target }: KeyboardEvent) =>
  defaultPrevented || isComposing || (target instanceof HTMLInputElement && target.type === 'search' && target.value !== '');

/** Always there, because what screen readers announce is a change of it. Each text is another element: the same text is announced again. */
export function Announced() {
  const { value } = announced;
  return (
    <p class="visually-hidden" role="status">
      {value !== null && <span key={value}>{value.text}</span>}
    </p>
  );
}

export function Notices() {
  // Escape closes the newest one: it may cover what has the focus.
  useEffect(() => {
    const close = (event: KeyboardEvent) => {
      const newest = notices.value.at(-1);
      if (event.key === 'Escape' && !isUsed(event) && question.value === null && newest !== undefined) dismiss(newest.id);
    };
    document.addEventListener('keydown', close);
    return () => document.removeEventListener('keydown', close);
  }, []);
  // When a notice is closed, the others get the focus, see `useKeptFocus`.
  const focusable = notices.value.length === 0 ? {} : { tabIndex: -1 };
  return (
    <div class="notices" role="status" aria-atomic="false" aria-relevant="additions" {...focusable}>
      {notices.value.map(({ id, text }) => (
        <div key={id} class="notice">
          <span id={`notice-${id}`}>{text}</span>
          <button type="button" aria-label="Close" aria-describedby={`notice-${id}`} onClick={() => dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}

/**
 * The browser's own dialog keeps the focus inside, and gives it back when it is closed. Escape answers no. Enter does so too at first,
 * because the focus is on Back: the key that opened the dialog may still be held.
 */
export function ConfirmDialog() {
  const asked = question.value;
  const dialog = useRef<HTMLDialogElement>(null);
  const back = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (asked === null || dialog.current?.open !== false) return;
    dialog.current.showModal();
    back.current?.focus();
  }, [asked]);
  if (asked === null) return null;
  return (
    <dialog
      ref={dialog}
      aria-labelledby="confirm-title"
      aria-describedby="confirm-text"
      onClose={({ currentTarget }) => asked.answer(currentTarget.returnValue === 'yes')}
    >
      <h2 id="confirm-title">{asked.title}</h2>
      <p id="confirm-text">{asked.text}</p>
      <p class="actions">
        <button type="button" class="danger" onClick={() => dialog.current?.close('yes')}>
          {asked.action}
        </button>
        <button ref={back} type="button" onClick={() => dialog.current?.close()}>
          Back
        </button>
      </p>
    </dialog>
  );
}
