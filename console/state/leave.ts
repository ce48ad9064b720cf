/** Work that would end with its screen. */
import type { ReadonlySignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { useEffect } from 'preact/hooks';
import { base } from '../api/base.js';
import { confirm, type Question } from './confirm.js';

/** Whether the router shows it. For everything else the browser asks. */
const isScreen = ({ origin, pathname, hash, target }: HTMLAnchorElement) =>
  origin === location.origin && `${pathname}/`.startsWith(base) && hash === '' && target === '';

/** Of the screen with work: gets the steps in the history of the browser before the router does. */
let onStep: (event: PopStateEvent) => void = () => undefined;

/** Call it before the router is drawn: not every browser calls capturing listeners of the window first. */
export const watchHistory = (): void => addEventListener('popstate', (event) => onStep(event));

const shownAddress = () => location.pathname + location.search;

/** Asks before the screen is left by a link or by the history of the browser, and before the page is closed, while there is work. */
export function useLeaveQuestion(isWorking: ReadonlySignal<boolean>, asked: Omit<Question, 'answer'>): void {
  const { route } = useLocation();
  useEffect(() => {
    const address = shownAddress();
    let isLeaving = false;
    const close = (event: BeforeUnloadEvent) => {
      if (isWorking.value) event.preventDefault();
    };
    const follow = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      const isNewTab = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
      if (!isWorking.value || link === null || isNewTab || !isScreen(link)) return;
      event.preventDefault();
      event.stopPropagation();
      void confirm(asked).then((isConfirmed) => isConfirmed && route(link.pathname + link.search));
    };
    /** The browser has left already. The address comes back on top, so that one step back leads where this one led. */
    const step = (event: PopStateEvent) => {
      if (!isWorking.value || isLeaving || shownAddress() === address) return;
      event.stopImmediatePropagation();
      history.pushState(null, '', address);
      void confirm(asked).then((isConfirmed) => {
        if (!isConfirmed) return;
        isLeaving = true;
        history.back();
      });
    };
    addEventListener('beforeunload', close);
    // Before the router gets it.
    document.addEventListener('click', follow, true);
    onStep = step;
    return () => {
      removeEventListener('beforeunload', close);
      document.removeEventListener('click', follow, true);
      onStep = () => undefined;
    };
  }, [isWorking, route, asked]);
}
