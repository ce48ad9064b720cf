/** The link to the portal of a webhook: its token is the only credential. A frame of another site has no cookie. */
import { signal } from '@preact/signals';
import { takeToken } from '../api/base.js';
import { onLoggedOut, setBearerToken } from '../api/call.js';
import { closeQuestion } from './confirm.js';
import { tryStorage } from './try-storage.js';

/** Whether the link still opens something. */
export const isPortalOpen = signal(true);

/** Uses the token of the link. A reload finds the token in the storage of this tab, if the browser gives a frame any. */
export function openPortal(): void {
  const key = `tidings.portal.${/\/webhooks\/([^/]+)/.exec(location.pathname)?.[1] ?? ''}`;
  const given = takeToken();
  if (given !== null) tryStorage(() => sessionStorage.setItem(key, given));
  const token = given ?? tryStorage(() => sessionStorage.getItem(key));
  isPortalOpen.value = token !== null;
  setBearerToken(token ?? '');
  onLoggedOut(() => {
    closeQuestion();
    tryStorage(() => sessionStorage.removeItem(key));
    isPortalOpen.value = false;
  });
}
