/** Entry point of the console. */
import { render } from 'preact';
import { problemOf } from '../api/problem.js';
import { watchLeaving } from '../state/leave.js';
import { applyTheme } from '../state/theme.js';
import { followOtherTabs, logInByLink, mayBeLoggedIn, restoreSession, session } from '../state/session.js';
import { openPortal } from '../state/portal.js';
import { App } from './app.js';
import { prefetchLinks, prefetchShown } from './prefetch.js';
import { isPortal, takeToken } from '../api/base.js';
import { hasStorage } from '../state/try-storage.js';

async function start(): Promise<void> {
  if (isPortal) return openPortal();
  if (!hasStorage) return;
  followOtherTabs();
  prefetchLinks();
  const token = takeToken(); // of a link of `npm start`
  if (token === null) {
    if (mayBeLoggedIn()) prefetchShown();
    return restoreSession();
  }
  try {
    await logInByLink(token);
  } catch (error) {
    await restoreSession();
    const { message, hints } = problemOf(error);
    if (session.value.state === 'none') session.value = { state: 'none', reason: [message, ...hints].join('. ') };
  }
}

applyTheme();
watchLeaving();
const place = document.querySelector('#console');
if (place !== null) render(<App />, place);
void start();
