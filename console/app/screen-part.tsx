/** Screens that are loaded when they are first shown. */
import type { ComponentType } from 'preact';
import { lazy } from 'preact-iso';
import { Screen } from '../parts/screen.js';

/** After an update of the service the parts of an open page have other names. */
function NotLoaded() {
  return (
    <Screen title="Not loaded">
      <p role="alert">This screen could not be loaded. The service may have been updated, or the connection is lost.</p>
      <button type="button" class="primary" onClick={() => location.reload()}>
        Reload the page
      </button>
    </Screen>
  );
}

/** A screen that is a part of its own. */
export const screenPart = (load: () => Promise<ComponentType>): ComponentType => lazy(() => load().catch(() => NotLoaded));
