/** When the rows of the list of messages stay where they are. */
import { useEffect } from 'preact/hooks';
import { useLatest } from '../../state/latest.js';

/** The focus also leaves the table when a button is pressed: nothing moves before it is released. */
const settleMs = 500;

/** The region around the table does not count: it gets the focus when another page is shown. */
const isInTable = (element: Element | null) => Boolean(element?.closest('.table table'));

/** A touch of the wheel moves a page by a few pixels: its top is still in sight. */
const topPx = 8;

/** Whether the user reads the table, or has gone down to it. */
export const isHeld = (): boolean => scrollY > topPx || isInTable(document.activeElement);

/** Calls the work soon after the user has left the table, or gone back to the top of the page. */
export function useHoldEnd(work: () => void): void {
  const latest = useLatest(work);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const settle = () => {
      clearTimeout(timer);
      timer = setTimeout(() => isHeld() || latest.current(), settleMs);
    };
    const left = ({ target }: FocusEvent) => isInTable(target as Element) && settle();
    document.addEventListener('focusout', left);
    document.addEventListener('scroll', settle);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('focusout', left);
      document.removeEventListener('scroll', settle);
    };
  }, []);
}
