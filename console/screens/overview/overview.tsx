/** What was sent, what became of it, what it cost, and what fails. */
import { useLocation } from 'preact-iso';
import { useEffect, useRef } from 'preact/hooks';
import { call } from '../../api/call.js';
import { to } from '../../api/base.js';
import { RefreshButton, Resource } from '../../parts/loaded.js';
import { Screen } from '../../parts/screen.js';
import { dayMs, Time } from '../../parts/time.js';
import { type Loaded, useLoad } from '../../state/load.js';
import { openWorkspace, refreshSoon } from '../../state/session.js';
import { Charts } from './charts.js';
import { Failures } from './failures.js';
import { Figures } from './figures.js';
import { FirstSteps } from './first-steps.js';
import { FailingWebhooks, useFailing } from './failing-webhooks.js';
import type { OverviewData } from './overview-data.js';

/** Days that can be chosen. One day is shown by hour. */
const periods = [
  [1, '24 hours'],
  [7, '7 days'],
  [30, '30 days'],
  [90, '90 days'],
  [365, 'A year'],
] as const;
const daysDefault = 7;

interface Shown extends OverviewData {
  /** The workspace has no messages at all. The figures count a message up to a minute later. */
  isNew: boolean;
}

export function Overview() {
  const { query } = useLocation();
  const days = periods.find(([each]) => String(each) === query.days)?.[0] ?? daysDefault;
  const overview: Loaded<Shown> = useLoad(String(days), async (signal) => {
    const from = new Date(Date.now() - days * dayMs).toISOString();
    const figures = await call('get', '/api/v1/overview', { query: { from }, signal });
    const isNew = figures.messages === 0 && (await call('get', '/api/v1/messages', { query: { limit: 1 }, signal })).messages.length === 0;
    return { ...figures, isNew };
  });
  const failing = useFailing();
  // What is read later would push down what is read already.
  const wasKnown = useRef(false);
  wasKnown.current ||= !failing.isPending.value || failing.data.value !== undefined || overview.problem.value !== null;
  const refresh = () => {
    overview.reload();
    failing.reload();
  };
  useBalance(overview.data.value);
  return (
    <Screen
      title="Overview"
      actions={
        <>
          <Periods chosen={days} />
          <RefreshButton of={overview} refresh={refresh} />
        </>
      }
    >
      {wasKnown.current ? (
        <>
          <FailingWebhooks webhooks={failing} />
          <Resource of={overview}>{(shown) => <Content overview={shown} />}</Resource>
        </>
      ) : (
        <p class="loading">Loading…</p>
      )}
    </Screen>
  );
}

const Content = ({ overview }: { overview: Shown }) => (
  <>
    <Since overview={overview} />
    <Figures overview={overview} />
    {overview.messages === 0 ? <Nothing isNew={overview.isNew} /> : <Charts overview={overview} />}
    {overview.failures.length > 0 && <Failures overview={overview} />}
  </>
);

/** The balance beside the screen may be older than the one on it. */
function useBalance(shown: OverviewData | undefined): void {
  useEffect(() => {
    if (shown !== undefined && shown.balance !== openWorkspace()?.credits_balance) refreshSoon();
  }, [shown]);
}

function Periods({ chosen }: { chosen: number }) {
  return (
    <nav class="periods" aria-label="Period">
      {periods.map(([days, text]) => (
        <a key={days} href={to('', { days: String(days) })} {...(days === chosen ? { 'aria-current': 'true' } : {})}>
          {text}
        </a>
      ))}
    </nav>
  );
}

/** The first hour or day (UTC) counts as a whole, so the period is longer than its name says. */
const Since = ({ overview: { from, by } }: { overview: OverviewData }) => (
  <p class="period note">Since {by === 'day' ? `${from.slice(0, 10)} 00:00 UTC` : <Time at={from} />}</p>
);

function Nothing({ isNew }: Pick<Shown, 'isNew'>) {
  if (isNew) return <FirstSteps />;
  return (
    <div class="empty">
      <p>
        No messages in this period. <a href={to('send')}>Send one</a>; it is counted within a minute.
      </p>
    </div>
  );
}
