/** Loads the parts of screens before they are shown. */
import { expectListener } from '../api/stream.js';
import { notePrefetchLost, type Part } from './screen-part.js';
import { screens } from './screens.js';

/** Whether an address has this pattern: `/console/messages/:id`. */
function fits(path: string, pattern: string): boolean {
  const [given, expected] = [path.split('/'), pattern.split('/')];
  return given.length === expected.length && expected.every((part, index) => part.startsWith(':') || part === given[index]);
}

/** The part of the screen at an address. Some screens have none. */
function partOf(path: string): Partial<Part> | undefined {
  for (const { props } of screens) if ('path' in props && fits(path, props.path)) return props.component;
  return undefined;
}

/** Loads the screen of the address, and opens the stream for it, while the workspace is read. */
export function prefetchShown(): void {
  const part = partOf(location.pathname);
  part?.prefetch?.().catch(() => undefined); // the screen says so
  if (part?.isLive === true) expectListener();
}

/** Loads the screen of each link that the user is about to follow. */
export function prefetchLinks(): void {
  const prefetchTarget = ({ target }: Event) => {
    const link = target instanceof Element ? target.closest<HTMLAnchorElement>('main a[href], nav a[href]') : null;
    if (link !== null && link.origin === location.origin) partOf(link.pathname)?.prefetch?.().catch(notePrefetchLost);
  };
  for (const type of ['pointerover', 'focusin']) document.addEventListener(type, prefetchTarget, { passive: true });
}
