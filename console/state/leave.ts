/** Work that would end with its screen. */
import type { ReadonlySignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { useEffect } from 'preact/hooks';
import { base } from '../api/base.js';
import { confirm, type Question } from './confirm.js';

/** Whether the router shows it. For everything else the browser asks. */
const isScreen = ({ origin, pathname, hash, target }: HTMLAnchorElement) =>
  origin === location.origin && `${pathname}/`.startsWith(base) && hash === '' && target === '';

/** Asks before the screen is left by a link or the page is closed, while there is work. */
export function useLeaveQuestion(isWorking: ReadonlySignal<boolean>, asked: Omit<Question, 'answer'>): void {
  const { route } = useLocation();
  useEffect(() => {
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
    addEventListener('beforeunload', close);
    // Before the router gets it.
    document.addEventListener('click', follow, true);
    return () => {
      removeEventListener('beforeunload', close);
      document.removeEventListener('click', follow, true);
    };
  }, [isWorking, route, asked]);
}
