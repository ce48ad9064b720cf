/** Entry point of the console. */
import { render } from 'preact';
import { problemOf } from '../api/problem.js';
import { watchHistory } from '../state/leave.js';
import { applyTheme } from '../state/theme.js';
import { followOtherTabs, restoreSession, session, signInByLink } from '../state/session.js';
import { openPortal } from '../state/portal.js';
import { App } from './app.js';
import { isPortal } from '../api/base.js';

const tokenInAddress = () => new URLSearchParams(location.hash.slice(1)).get('token');

/** A link of `npm start` has its token in the fragment, which browsers do not send. It is used once, so it leaves the address at once. */
async function start(): Promise<void> {
  if (isPortal) return openPortal();
  followOtherTabs();
  // In a tab that shows the console already, such a link changes the fragment only, so that the browser stays on the page.
  addEventListener('hashchange', () => tokenInAddress() !== null && location.reload());
  const token = tokenInAddress();
  if (token === null) return restoreSession();
  history.replaceState(null, '', location.pathname + location.search);
  try {
    await signInByLink(token);
  } catch (error) {
    await restoreSession();
    const { message, hints } = problemOf(error);
    if (session.value.state === 'none') session.value = { state: 'none', reason: [message, ...hints].join('. ') };
  }
}

applyTheme();
watchHistory();
const place = document.querySelector('#console');
if (place !== null) render(<App />, place);
void start();
