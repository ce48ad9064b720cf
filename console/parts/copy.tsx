/** Blocks of code, and values to copy. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { question } from '../state/confirm.js';
import { mayTakeFocus } from '../state/focus.js';
import { announced } from '../state/notices.js';

function Copy({ value, label }: { value: string; label: string }) {
  const outcome = useSignal('');
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => (outcome.value = 'Copied'),
      () => (outcome.value = 'Select the text to copy it'),
    );
  return (
    <span class="copy">
      <button type="button" aria-label={`Copy ${label}`} onClick={() => void copy()}>
        Copy
      </button>
      <span role="status">{outcome.value}</span>
    </span>
  );
}

/**
 * A block of code. If it is long it scrolls by itself, so that it must be reachable by keyboard.
 * @param label what it is; no other part of the screen has this name
 */
export function Code({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <pre role="region" aria-label={label} tabIndex={0}>
      <code>{children}</code>
    </pre>
  );
}

/**
 * The first paragraph of what appears after an action. It gets the focus, so that screen readers begin to read there and the page scrolls to it.
 * A user who does something else by then keeps the focus, and hears the paragraph. Give it another key when what follows it changes.
 */
export function Lead({ children }: { children: ComponentChildren }) {
  const paragraph = useRef<HTMLParagraphElement>(null);
  const isTold = useRef(false);
  // An open question keeps the focus inside, and nothing outside of it is announced.
  const isAsked = question.value !== null;
  useEffect(() => {
    const { current } = paragraph;
    if (isAsked || isTold.current || current === null) return;
    isTold.current = true;
    if (mayTakeFocus()) current.focus();
    else announced.value = { text: current.textContent };
  }, [isAsked]);
  useEffect(() => () => void (announced.value = null), []);
  return (
    <p ref={paragraph} tabIndex={-1}>
      {children}
    </p>
  );
}

/** Text to copy, such as a secret or code. */
export function CopyBlock({ value, label }: { value: string; label: string }) {
  return (
    <div class="copy-block">
      <Code label={label}>{value}</Code>
      <Copy value={value} label={label} />
    </div>
  );
}
