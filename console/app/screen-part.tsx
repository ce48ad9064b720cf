/** Screens that are loaded when they are first shown. */
import type { ComponentType } from 'preact';
import { lazy } from 'preact-iso';
import { useEffect } from 'preact/hooks';
import { urlOf } from '../api/base.js';
import { Screen } from '../parts/screen.js';

const retryMs = 5_000;

/** Whether the service answers, or at least a proxy that reaches it. */
const isThere = (): Promise<boolean> =>
  fetch(urlOf('/live'), { cache: 'no-store' }).then(
    ({ status }) => status < 500,
    () => false,
  );

/** Reloads the page when a service that was away answers again. A part that is missing beside a running service would be missing then, too. */
function useReloadWhenBack(): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isShown = true;
    const check = async (wasAway: boolean) => {
      const isBack = await isThere();
      if (!isShown) return;
      if (!isBack) timer = setTimeout(() => void check(true), retryMs);
      else if (wasAway) location.reload();
    };
    void check(wasPrefetchLost);
    return () => {
      isShown = false;
      clearTimeout(timer);
    };
  }, []);
}

/** After an update of the service the parts of an open page have other names. */
function NotLoaded() {
  useReloadWhenBack();
  return (
    <Screen title="Not loaded">
      <p role="alert">This screen could not be loaded. The service may have been updated, or the connection is lost.</p>
      <button type="button" class="primary" onClick={() => location.reload()}>
        Reload the page
      </button>
    </Screen>
  );
}

/** Browsers may remember a failed import for the life of the page. */
let wasPrefetchLost = false;
export const notePrefetchLost = (): void => void (wasPrefetchLost = true);

export interface Part {
  /** Begins to load it, before it is shown. */
  prefetch(): Promise<unknown>;
  /** Whether it listens to the stream. */
  isLive: boolean;
}

/** A screen that is a part of its own. */
export const screenPart = (load: () => Promise<ComponentType>, isLive = false): ComponentType & Part =>
  Object.assign(
    lazy(() => load().catch(() => NotLoaded)),
    { prefetch: load, isLive },
  );
