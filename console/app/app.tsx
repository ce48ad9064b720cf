/** The frame of all screens: logged in or not. */
import { ErrorBoundary, LocationProvider, Route } from 'preact-iso';
import { base, isPortal, to } from '../api/base.js';
import { Main } from './main-part.js';
import { Portal } from './portal.js';
import { Announced, ConfirmDialog, Notices } from '../parts/notices.js';
import { session } from '../state/session.js';
import { hasStorage } from '../state/try-storage.js';
import { screenPart } from './screen-part.js';
import { screens } from './screens.js';
import { NotOpened } from './not-opened.js';
import { Shell } from './shell.js';

const LogIn = screenPart(async () => (await import('../screens/login/login.js')).LogIn);
const SignUp = screenPart(async () => (await import('../screens/login/sign-up.js')).SignUp);
const ForgotPassword = screenPart(async () => (await import('../screens/login/forgot-password.js')).ForgotPassword);

export function App() {
  return (
    <LocationProvider scope={base.slice(0, -1)}>
      <ErrorBoundary>
        <Content />
      </ErrorBoundary>
      <Notices />
      <Announced />
      <ConfirmDialog />
    </LocationProvider>
  );
}

function Content() {
  if (isPortal) return <Portal />;
  if (!hasStorage) return <NoStorage />;
  const { value } = session;
  if (value.state === 'unknown') return <p class="loading">Loading…</p>;
  if (value.state === 'failed') return <NotOpened problem={value.problem} />;
  if (value.state === 'none') return <PublicScreens />;
  return <Shell>{screens}</Shell>;
}

/** A login would be accepted, and then fail. */
const NoStorage = () => (
  <main class="public">
    <h1>The console cannot be loaded</h1>
    <p role="alert">The console needs cookies, which this browser refuses. Allow cookies for this address and reload the page.</p>
  </main>
);

/** A user who is not logged in stays at the address of the screen, and sees it after the login. */
function PublicScreens() {
  return (
    <Main class="public">
      <Route path={to('sign-up')} component={SignUp} />
      <Route path={to('forgot-password')} component={ForgotPassword} />
      <Route default component={LogIn} />
    </Main>
  );
}
