/** What surrounds every screen of a session: navigation, balance, the state of the stream, the account. */
import type { ComponentProps } from 'preact';
import { useLocation } from 'preact-iso';
import { useEffect, useRef } from 'preact/hooks';
import { streamState } from '../api/stream.js';
import { creditsText } from '../parts/credits.js';
import { useOneAtATime } from '../state/actions.js';
import { mayLeave } from '../state/leave.js';
import { logOut, openWorkspace, refreshSoon } from '../state/session.js';
import { nextTheme, theme } from '../state/theme.js';
import { to } from '../api/base.js';
import { Main } from './main-part.js';
import { navigation } from './screens.js';
import { VerificationBanner } from './verification-banner.js';

/** How old the shown balance may be when another screen is opened. */
const balanceMsMax = 60_000;

export function Shell({ children }: Pick<ComponentProps<typeof Main>, 'children'>) {
  const readAt = useRef(performance.now());
  const refreshBalance = () => {
    if (performance.now() - readAt.current < balanceMsMax) return;
    readAt.current = performance.now();
    refreshSoon();
  };
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <TopBar />
      <Navigation />
      <Main banner={<VerificationBanner />} onMoved={refreshBalance}>
        {children}
      </Main>
    </div>
  );
}

const streamTexts = { off: '', connecting: 'Connecting…', live: 'Live', refused: 'Not live: connecting again soon' } as const;

/** In place of the words, where there is no room. */
const themeSigns = { system: '◐', light: '☀', dark: '☾' } as const;

function TopBar() {
  const { isBusy, run } = useOneAtATime();
  const workspace = openWorkspace();
  if (workspace === null) return null;
  const end = run(async () => {
    if (await mayLeave()) await logOut();
  });
  return (
    <header class="bar">
      <strong class="name">Tidings</strong>
      <StreamState />
      <span class="balance">{creditsText(workspace.credits_balance)}</span>
      <span class="workspace" title={workspace.email}>
        {workspace.name}
      </span>
      <button type="button" onClick={nextTheme}>
        <span class="label">{`Theme: ${theme.value}`}</span>
        <span class="sign" aria-hidden="true">
          {themeSigns[theme.value]}
        </span>
      </button>
      <button type="button" aria-disabled={isBusy.value} onClick={end}>
        Log out
      </button>
    </header>
  );
}

/** Screen readers announce only that the stream was refused, not each change of its state. */
function StreamState() {
  const { value } = streamState;
  return (
    <span class={`stream ${value}`}>
      {value !== 'refused' && streamTexts[value]}
      <span role="status">{value === 'refused' && streamTexts.refused}</span>
    </span>
  );
}

/** On phones the links are one row, which scrolls. `scrollIntoView` would move the start of the Tab key behind the link in some browsers. */
function showInRow(link: HTMLElement | null): void {
  const row = link?.parentElement;
  if (row) row.scrollLeft = link.offsetLeft - row.offsetLeft - (row.clientWidth - link.offsetWidth) / 2;
}

function Navigation() {
  const { path } = useLocation();
  const current = useRef<HTMLAnchorElement>(null);
  useEffect(() => showInRow(current.current), [path]);
  const isCurrent = (screen: string) => path === to(screen) || (screen !== '' && path.startsWith(`${to(screen)}/`));
  return (
    <nav class="screens" aria-label="Screens">
      {navigation.map(([screen, title]) => (
        <a key={screen} href={to(screen)} {...(isCurrent(screen) ? { 'aria-current': 'page', ref: current } : {})}>
          {title}
        </a>
      ))}
    </nav>
  );
}
