/** Two accounts that share every channel, and workers that choose between them. */
import { setTimeout as sleep } from 'node:timers/promises';
import { ApplicationFailure } from '@temporalio/common';
import { exchangeEveryMs } from '../../../activities/handoff/account-health.js';
import type { Provider, SendOutcome } from '../../../activities/handoff/providers/provider.js';
import type { Database } from '../../../models/db/database.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { workspaceForEach } from '../../support/for-each.js';
import { inActivity, silentStarts, type Standing } from '../../support/temporal/in-activity.js';
import { buildQueuedGroup } from '../../support/rows/messages.js';
import { shared, silentLogger, type StubProvider, stubProvider } from '../../support/carriers/stub-provider.js';
import { messageActivities } from '../../support/parts/activities.js';

export const unavailable: SendOutcome = { outcome: 'retryable', detail: '503' };
export const lost: SendOutcome = { outcome: 'unknown', detail: 'timeout' };
export const isNotHandedOff = (error: unknown) => error instanceof ApplicationFailure && error.type === 'NotHandedOff';

interface Accounts {
  one: StubProvider;
  two: StubProvider;
  /** Outcomes of calls to `one` and `two`; by default both accept everything. */
  outcomes: Record<string, SendOutcome | undefined>;
}

/** Then the next hand-off of each worker exchanges its counts. */
export const untilExchangeIsDue = () => sleep(exchangeEveryMs + 50);

/** Called in a `describe`: new accounts for each test, of which nothing is known. */
export function twoAccounts() {
  const test = workspaceForEach({ balance: 10_000_000 });
  const accounts = {} as Accounts;
  const account = (name: string, overrides: Partial<Provider> = {}) =>
    stubProvider(({ id }) => accounts.outcomes[name] ?? { outcome: 'accepted', provider_message_id: `${name}-${id}` }, {
      name,
      ...overrides,
    });
  const forget = () => rows(test.db, 'TRUNCATE route_health, route_changes, provider_pace');
  beforeEach(async () => {
    Object.assign(accounts, { one: account('one'), two: account('two'), outcomes: {} });
    await forget();
  });

  /** A worker of its own. */
  const worker = (weights: Record<string, number> = {}) => {
    const providers = shared([accounts.one, accounts.two], weights);
    const config = { ...testConfig(), unknownHandoffSeconds: 0 };
    const deps = { db: test.db, config, logger: silentLogger, providers, starts: silentStarts, leaseSeconds: 0 };
    const { dispatchMessages } = messageActivities(deps);
    return (groupId: string, standing: Standing = {}) => inActivity(dispatchMessages, [groupId], standing);
  };
  const group = (count: number) => buildQueuedGroup(test.db, test.workspaceId, count);
  const setLevel = (name: string, level: number, probeInSeconds = 60) =>
    rows(
      test.db,
      `INSERT INTO route_health (account, level, probe_at, probe_pause) VALUES ($1, $2, now() + $3 * interval '1 second', 5)
       ON CONFLICT (account) DO UPDATE SET level = $2, changed_at = now(), calls = 0, bad = 0, probe_at = now() + $3 * interval '1 second'`,
      [name, level, probeInSeconds],
    );
  return { test, accounts, account, worker, group, setLevel, forget };
}

/** The attempts of a message in order: account, outcome and this column. */
export async function attemptsIn(db: Database, id: string, column: 'route' | 'detail'): Promise<string[]> {
  const sql = `SELECT concat_ws(' ', provider, outcome, ${column}) AS attempt FROM send_attempts WHERE message_id = $1 ORDER BY number`;
  return (await rows<{ attempt: string }>(db, sql, [id])).map(({ attempt }) => attempt);
}
