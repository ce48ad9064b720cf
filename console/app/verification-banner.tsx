/** The reminder of an address that is not verified yet. */
import { useEffect } from 'preact/hooks';
import { call } from '../api/call.js';
import { useOneAtATime } from '../state/actions.js';
import { openWorkspace, refreshSoon } from '../state/session.js';
import { notify } from '../state/notices.js';

export function VerificationBanner() {
  const { isBusy, run } = useOneAtATime();
  const workspace = openWorkspace();
  const isVerified = workspace?.email_verified !== false;
  useEffect(() => {
    if (isVerified) return undefined;
    // The link in the e-mail opens another tab. Who comes back sees what has changed.
    const refreshWhenShown = () => document.hidden || refreshSoon();
    document.addEventListener('visibilitychange', refreshWhenShown);
    return () => document.removeEventListener('visibilitychange', refreshWhenShown);
  }, [isVerified]);
  if (workspace === null || isVerified) return null;
  const again = run(async () => {
    const { message } = await call('post', '/api/v1/auth/resend-verification', { body: { email: workspace.email } });
    notify(message);
  });
  return (
    <aside class="banner" aria-label="Verification">
      <p>
        Please verify your e-mail address: an e-mail with a link was sent to <strong>{workspace.email}</strong>.
      </p>
      <button type="button" aria-disabled={isBusy.value} onClick={again}>
        Send it again
      </button>
    </aside>
  );
}
