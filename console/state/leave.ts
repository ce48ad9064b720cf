/** Work that would end with its screen. */
import type { ReadonlySignal } from '@preact/signals';
import { useLocation } from 'preact-iso';
import { useEffect, useRef } from 'preact/hooks';
import { base } from '../api/base.js';
import { closeQuestion, confirm, type Question } from './confirm.js';

type Asked = Omit<Question, 'answer'>;

interface Task {
  isWorking: ReadonlySignal<boolean>;
  asked: Asked;
  /** The address of its screen. */
  url: string;
  route(address: string): void;
}

/** Of the screens that are shown. */
const tasks = new Set<Task>();
const running = () => [...tasks].find(({ isWorking }) => isWorking.value);

/** Whether the router shows it. For everything else the browser asks. */
const isScreen = ({ origin, pathname, hash, target }: HTMLAnchorElement) =>
  origin === location.origin && `${pathname}/`.startsWith(base) && hash === '' && target === '';

/** Filters and pages of a list are in the same screen. */
const isSameScreen = (path: string) => path === location.pathname;

function onLinkClick(event: MouseEvent): void {
  const task = running();
  const link = event.target instanceof Element ? event.target.closest('a') : null;
  const isNewTab = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (task === undefined || link === null || isNewTab || !isScreen(link) || isSameScreen(link.pathname)) return;
  event.preventDefault();
  event.stopPropagation();
  void confirm(task.asked).then((isConfirmed) => {
    if (!isConfirmed) return;
    tasks.delete(task);
    task.route(link.pathname + link.search);
  });
}

/** The browser has left already. The address comes back on top, so that one step back leads where this one led. */
function onHistoryStep(event: PopStateEvent): void {
  const task = running();
  // An open question is about the screen before.
  if (task === undefined || isSameScreen(new URL(task.url, location.origin).pathname)) return closeQuestion();
  event.stopImmediatePropagation();
  history.pushState(null, '', task.url);
  void confirm(task.asked).then((isConfirmed) => {
    if (!isConfirmed) return;
    tasks.delete(task);
    history.back();
  });
}

/** Call it before the router is drawn: not every browser calls capturing listeners of the window first. */
export function watchLeaving(): void {
  addEventListener('popstate', onHistoryStep);
  addEventListener('beforeunload', (event) => running() !== undefined && event.preventDefault());
  document.addEventListener('click', onLinkClick, true);
}

/** Asks, while there is work, before something else than a link ends the screen. */
export async function mayLeave(): Promise<boolean> {
  const task = running();
  return task === undefined || confirm(task.asked);
}

/** Asks before the screen is left by a link or by the history of the browser, and before the page is closed, while there is work. */
export function useLeaveQuestion(isWorking: ReadonlySignal<boolean>, asked: Asked): void {
  const { url, route } = useLocation();
  const task = useRef<Task>({ isWorking, asked, url, route });
  Object.assign(task.current, { isWorking, asked, url, route });
  useEffect(() => {
    const { current } = task;
    tasks.add(current);
    return () => void tasks.delete(current);
  }, []);
}
