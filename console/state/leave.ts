/** Work that would end with its screen. */
import type { ReadonlySignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { useEffect, useRef } from 'preact/hooks';
import { base } from '../api/base.js';
import { closeQuestion, confirm, type Question } from './confirm.js';

type Asked = Omit<Question, 'answer'>;

interface Work {
  isWorking: ReadonlySignal<boolean>;
  asked: Asked;
  /** The address of its screen. */
  url: string;
  route(address: string): void;
}

/** Of the screens that are shown. */
const works = new Set<Work>();
const running = () => [...works].find(({ isWorking }) => isWorking.value);

/** Whether the router shows it. For everything else the browser asks. */
const isScreen = ({ origin, pathname, hash, target }: HTMLAnchorElement) =>
  origin === location.origin && `${pathname}/`.startsWith(base) && hash === '' && target === '';

/** Filters and pages of a list are in the same screen. */
const isSameScreen = (path: string) => path === location.pathname;

function follow(event: MouseEvent): void {
  const work = running();
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const isNewTab = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (work === undefined || link === null || isNewTab || !isScreen(link) || isSameScreen(link.pathname)) return;
  event.preventDefault();
  event.stopPropagation();
  void confirm(work.asked).then((isConfirmed) => {
    if (!isConfirmed) return;
    works.delete(work);
    work.route(link.pathname + link.search);
  });
}

/** The browser has left already. The address comes back on top, so that one step back leads where this one led. */
function step(event: PopStateEvent): void {
  const work = running();
  // An open question is about the screen before.
  if (work === undefined || isSameScreen(new URL(work.url, location.origin).pathname)) return closeQuestion();
  event.stopImmediatePropagation();
  history.pushState(null, '', work.url);
  void confirm(work.asked).then((isConfirmed) => {
    if (!isConfirmed) return;
    works.delete(work);
    history.back();
  });
}

/** Call it before the router is drawn: not every browser calls capturing listeners of the window first. */
export function watchLeaving(): void {
  addEventListener('popstate', step);
  addEventListener('beforeunload', (event) => running() !== undefined && event.preventDefault());
  document.addEventListener('click', follow, true);
}

/** Asks, while there is work, before something else than a link ends the screen. */
export async function mayLeave(): Promise<boolean> {
  const work = running();
  return work === undefined || confirm(work.asked);
}

/** Asks before the screen is left by a link or by the history of the browser, and before the page is closed, while there is work. */
export function useLeaveQuestion(isWorking: ReadonlySignal<boolean>, asked: Asked): void {
  const { url, route } = useLocation();
  const work = useRef<Work>({ isWorking, asked, url, route });
  Object.assign(work.current, { isWorking, asked, url, route });
  useEffect(() => {
    const { current } = work;
    works.add(current);
    return () => void works.delete(current);
  }, []);
}
