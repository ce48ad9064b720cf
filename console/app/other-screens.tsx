/** Addresses without a screen of their own. */
import { useLocation } from 'preact-iso';
import { useEffect } from 'preact/hooks';
import { Screen } from '../parts/screen.js';
import { isPortal, to } from '../api/base.js';

export function NotFound() {
  return (
    <Screen title="Not found">
      <p>There is no such screen. The link may be old.</p>
      {!isPortal && (
        <p>
          <a href={to()}>Go to Overview</a>
        </p>
      )}
    </Screen>
  );
}

/** A user who has just logged in, or comes back to such an address, goes to the first screen. */
export function LoggedIn() {
  const { route } = useLocation();
  useEffect(() => route(to(), true), [route]);
  return <p class="loading">Loading…</p>;
}
