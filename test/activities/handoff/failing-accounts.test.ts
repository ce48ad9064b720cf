import assert from 'node:assert/strict';
import { pino } from 'pino';
import type { SendOutcome } from '../../../activities/handoff/providers/provider.js';
import { AccountHealthMonitor, exchangeEveryMs } from '../../../activities/handoff/account-health.js';
import { until } from '../../support/client.js';
import { rows } from '../../support/database.js';
import { buildQueued } from '../../support/rows/factories.js';
import { shared, silentLogger, stubProvider } from '../../support/carriers/stub-provider.js';
import { lost, twoAccounts, untilExchangeIsDue } from './two-accounts.js';

describe('failing accounts', () => {
  const { test, accounts, account, worker, group, setLevel } = twoAccounts();
  const age = (seconds: number, name: string) =>
    rows(test.db, `UPDATE route_health SET changed_at = changed_at - $1 * interval '1 second' WHERE account = $2`, [seconds, name]);

  it('a failing account gets one probe at a time at level 0, and other messages do not wait', async () => {
    await setLevel('one', 0, -1);
    let answer: (outcome: SendOutcome) => void = () => undefined;
    const hanging = new Promise<SendOutcome>((resolve) => {
      answer = resolve;
    });
    accounts.one = stubProvider(() => hanging, { name: 'one' });
    const { groupId } = await group(30);
    const dispatched = worker()(groupId);
    const sent = async () => (await rows(test.db, `SELECT 1 FROM messages WHERE group_id = $1 AND status = 'sent'`, [groupId])).length;
    await until(async () => (await sent()) === 29, '29 messages are sent');
    assert.deepEqual([accounts.one.calls.length, accounts.two.calls.length], [1, 29]);
    answer({ outcome: 'accepted', provider_message_id: 'late' });
    assert.equal((await dispatched).queued, 0);
  });

  /** A worker's view of the first account, whose calls are answered but slow. */
  const slowCalls = async () => {
    const health = new AccountHealthMonitor({ db: test.db, logger: silentLogger, windowSeconds: 60 }, shared([accounts.one, accounts.two]));
    await setLevel('one', 10);
    await age(60, 'one');
    const now = performance.now();
    let exchanges = 0;
    const levelAfter = async (calls: number, ms: number) => {
      for (let each = 0; each < calls; each += 1) health.end({ account: 'one', startedAt: now - ms, isCounted: false }, 'good');
      exchanges += 1;
      await health.exchange(now + exchanges * exchangeEveryMs);
      return health.levelOf('one');
    };
    return { health, levelAfter };
  };

  it('a slow account counts as failing', async () => {
    const { health, levelAfter } = await slowCalls();
    assert.equal(await levelAfter(5, 2_900), 10);
    assert.deepEqual([await levelAfter(25, 3_500), health.levelOf('two')], [0, 10]);
  });

  it('an account whose calls may last 40 seconds is slow after half of that', async () => {
    accounts.one = account('one', { deadlineMs: 40_000 });
    const { levelAfter } = await slowCalls();
    assert.equal(await levelAfter(25, 19_000), 10);
    assert.equal(await levelAfter(200, 21_000), 0);
  });

  it('calls from before a change of level do not count for the new level, and only a worse level is a warning', async () => {
    const lines: { level: number; msg: string }[] = [];
    const logger = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const health = new AccountHealthMonitor({ db: test.db, logger, windowSeconds: 60 }, shared([accounts.one, accounts.two]));
    const exchange = (number: number) => health.exchange(performance.now() + number * exchangeEveryMs);
    await exchange(0);
    await age(60, 'one');
    await exchange(1);
    const early = Array.from({ length: 9 }, () => health.begin('one'));
    for (const call of early.slice(0, 5)) health.end(call, 'bad');
    await exchange(2);
    assert.equal(health.levelOf('one'), 0);
    health.end(early[5], 'good');
    await exchange(3);
    assert.equal(health.levelOf('one'), 0, 'a late success of an old call is no probe');
    health.end(health.begin('one'), 'good');
    await exchange(4);
    assert.equal(health.levelOf('one'), 1);
    for (const call of early.slice(6)) health.end(call, 'bad');
    await exchange(5);
    assert.equal(health.levelOf('one'), 1, 'late failures of old calls do not count');
    assert.deepEqual(
      lines.map(({ level, msg }) => [level, msg]),
      [40, 30].map((level) => [level, 'account health changed']),
    );
  });

  it('other workers know a failing account within a second', async () => {
    accounts.outcomes.one = lost;
    const [first, second] = [worker(), worker()];
    await setLevel('two', 1);
    for (let each = 0; each < 12; each += 1) {
      const { group_id } = await buildQueued(test.db, test.workspaceId);
      await first(group_id).catch(() => undefined);
    }
    const calls = accounts.one.calls.length;
    assert.ok(calls >= 5);
    await untilExchangeIsDue();
    await first((await buildQueued(test.db, test.workspaceId)).group_id);
    for (let each = 0; each < 10; each += 1) await second((await buildQueued(test.db, test.workspaceId)).group_id);
    assert.equal(accounts.one.calls.length, calls);
    const changes = await rows<{ account: string; to_level: number }>(
      test.db,
      'SELECT account, to_level FROM route_changes WHERE to_level = 0',
    );
    assert.deepEqual(changes, [{ account: 'one', to_level: 0 }]);
  });
});
