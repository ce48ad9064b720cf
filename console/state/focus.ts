/** The focus, where its element is removed: browsers give it to the page then, and screen readers start again at the top. */
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Whether a main part was shown before. At the load of the page the focus stays at its start. */
let wasShown = false;

/**
 * Gives the focus to what is nearest to a removed element: the table of its row, the other notices, else the main part. The main part also gets
 * it when it appears in place of another one, for example after the login.
 */
export function useKeptFocus(main: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const root = main.current;
    if (root === null) return;
    if (wasShown && isFree()) root.focus();
    wasShown = true;
    let last: Node | null = null;
    const note = ({ target }: FocusEvent) => void (last = target as Node);
    const observer = new MutationObserver((records) => {
      if (last === null || last.isConnected || !isFree()) return;
      (placeOf(last, records) ?? root).focus({ preventScroll: true });
    });
    document.addEventListener('focusin', note);
    // The notices are outside of the main part.
    observer.observe(document.body, { childList: true, subtree: true });
    return () => {
      document.removeEventListener('focusin', note);
      observer.disconnect();
    };
  }, [main]);
}

/**
 * Gives the focus to a list when another page of it is loaded. The link to the page went with the page before. A user who has gone elsewhere
 * stays there.
 */
export function useFocusOnPage(list: RefObject<HTMLElement | null>, cursor: string, data: unknown): void {
  const shown = useRef(cursor);
  const isDue = useRef(false);
  useEffect(() => {
    if (shown.current !== cursor) {
      // The page before is still there: it is dropped after this effect.
      shown.current = cursor;
      isDue.current = true;
    } else if (isDue.current && data !== undefined) {
      isDue.current = false;
      if (isFree()) focusOn(list.current, cursor === '');
    }
  }, [cursor, data]);
}

/** The first page is shown from the top of the screen: lists may stay as they are while the user has gone down. */
function focusOn(list: HTMLElement | null, isFirst: boolean): void {
  list?.focus({ preventScroll: isFirst });
  if (isFirst) scrollTo(0, 0);
}

/** Whether nobody uses the focus: the page has it, or its main part. */
const isFree = () => [null, document.body, document.getElementById('main')].includes(document.activeElement as HTMLElement | null);

/** The button that began the last action. */
let begun: Element | null = null;

/** Call it when an action begins. */
export const noteButton = (): void => void (begun = document.activeElement?.closest('button') ?? null);

/** Whether what an action adds to the screen may take the focus. A user who does something else meanwhile keeps it. */
export const mayTakeFocus = (): boolean => isFree() || document.activeElement === begun;

/** What can have the focus around the place from which the element was removed. */
function placeOf(removed: Node, records: readonly MutationRecord[]): HTMLElement | null {
  const { target } = records.find(({ removedNodes }) => [...removedNodes].some((node) => node.contains(removed))) ?? {};
  return target instanceof Element && target.isConnected ? target.closest<HTMLElement>('[tabindex]') : null;
}
