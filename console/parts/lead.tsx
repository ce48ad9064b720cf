/** The first paragraph of what appears after an action. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { question } from '../state/confirm.js';
import { mayTakeFocus } from '../state/focus.js';
import { announced } from '../state/notices.js';

/**
 * It gets the focus, so that screen readers begin to read there and the page scrolls to it.
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
