/** The link to the portal of a webhook: its token is the only credential. A frame of another site has no cookie. */
import { signal } from '@preact/signals';
import { sendWith, whenSignedOut } from '../api/call.js';
import { closeQuestion } from './confirm.js';
import { stored } from './stored.js';

/** Whether the link still opens something. */
export const isPortalOpen = signal(true);

const tokenInAddress = () => new URLSearchParams(location.hash.slice(1)).get('token');

/** The fragment leaves the address at once. A reload finds the token in the storage of this tab, if the browser gives a frame any. */
export function openPortal(): void {
  const key = `tidings.portal.${/\/webhooks\/([^/]+)/.exec(location.pathname)?.[1] ?? ''}`;
  const given = tokenInAddress();
  if (given !== null) {
    history.replaceState(null, '', location.pathname + location.search);
    stored(() => sessionStorage.setItem(key, given));
  }
  // A new link to this webhook differs in the fragment only, so that the browser stays on the page.
  addEventListener('hashchange', () => tokenInAddress() !== null && location.reload());
  const token = given ?? stored(() => sessionStorage.getItem(key));
  isPortalOpen.value = token !== null;
  sendWith(token ?? '');
  whenSignedOut(() => {
    closeQuestion();
    stored(() => sessionStorage.removeItem(key));
    isPortalOpen.value = false;
  });
}
