import assert from 'node:assert/strict';
import { ApplicationFailure } from '@temporalio/common';
import fc from 'fast-check';
import { messageActivities } from '../../activities/messages.js';
import type { Provider, SendOutcome } from '../../activities/providers/provider.js';
import { RouteHealth } from '../../activities/route-health.js';
import { giveUpOnHandoffs } from '../../models/operations/give-up.js';
import { testConfig } from '../support/config.js';
import { freshDatabase, rows, type TestDatabase } from '../support/database.js';
import { buildQueued, buildWorkspace } from '../support/factories.js';
import { inActivity } from '../support/in-activity.js';
import { assertBooks } from '../support/invariants.js';
import { balanceOf, buildQueuedGroup, messageOf, statusOf } from '../support/messages.js';
import { shared, silent, type StubProvider, stubProvider } from '../support/stub-provider.js';

const unavailable: SendOutcome = { outcome: 'retryable', detail: '503' };
const lost: SendOutcome = { outcome: 'unknown', detail: 'timeout' };

describe('routing', () => {
  let test: TestDatabase;
  let workspaceId: string;
  let one: StubProvider;
  let two: StubProvider;
  /** What comes of calls to `one` and `two`; the default is that they take everything. */
  let outcomes: Record<string, SendOutcome | undefined>;
  before(async () => {
    test = await freshDatabase();
    workspaceId = (await buildWorkspace(test.db, 10_000_000)).id;
  });
  beforeEach(async () => {
    outcomes = {};
    [one, two] = [account('one'), account('two')];
    await rows(test.db, 'TRUNCATE route_health, route_changes, provider_pace');
  });
  afterEach(() => assertBooks(test.db));
  after(() => test.drop());

  const account = (name: string, overrides: Partial<Provider> = {}) =>
    stubProvider(({ id }) => outcomes[name] ?? { outcome: 'accepted', provider_message_id: `${name}-${id}` }, { name, ...overrides });
  /** A worker of its own. */
  const worker = (weights: Record<string, number> = {}, env: NodeJS.ProcessEnv = {}) => {
    const deps = { db: test.db, config: testConfig(env), logger: silent, providers: shared([one, two], weights) };
    const { dispatchMessages } = messageActivities(deps);
    return (groupId: string) => inActivity(dispatchMessages, [groupId]);
  };
  const attemptsOf = async (id: string) =>
    (
      await rows<{ attempt: string }>(
        test.db,
        `SELECT concat_ws(' ', provider, outcome, route) AS attempt FROM send_attempts WHERE message_id = $1 ORDER BY number`,
        [id],
      )
    ).map(({ attempt }) => attempt);
  const group = (count: number) =>
    buildQueuedGroup(
      test.db,
      workspaceId,
      Array.from({ length: count }, () => ({})),
    );
  const isNotHandedOff = (error: unknown) => error instanceof ApplicationFailure && error.type === 'NotHandedOff';
  const setLevel = (name: string, level: number, probeInSeconds = 60) =>
    rows(
      test.db,
      `INSERT INTO route_health (account, level, probe_at, probe_pause) VALUES ($1, $2, now() + $3 * interval '1 second', 5)
       ON CONFLICT (account) DO UPDATE SET level = $2, changed_at = now(), calls = 0, bad = 0, probe_at = now() + $3 * interval '1 second'`,
      [name, level, probeInSeconds],
    );

  const age = (seconds: number, name: string) =>
    rows(test.db, `UPDATE route_health SET changed_at = changed_at - $1 * interval '1 second' WHERE account = $2`, [seconds, name]);

  it('shares messages out by weight, and writes down why', async () => {
    const dispatch = worker({ one: 3 });
    const ids: string[] = [];
    for (let each = 0; each < 24; each += 1) {
      const { id, group_id } = await buildQueued(test.db, workspaceId);
      await dispatch(group_id);
      ids.push(id);
    }
    assert.equal(one.calls.length + two.calls.length, 24);
    assert.ok(one.calls.length > two.calls.length && two.calls.length > 0, `${one.calls.length} : ${two.calls.length}`);
    const shares = await rows<{ provider: string; route: string; route_share: number }>(
      test.db,
      'SELECT DISTINCT provider, route, route_share FROM send_attempts WHERE message_id = ANY($1::uuid[]) ORDER BY provider',
      [ids],
    );
    assert.deepEqual(shares, [
      { provider: 'one', route: 'share', route_share: 75 },
      { provider: 'two', route: 'share', route_share: 25 },
    ]);
  });

  it('gives one that stands by nothing but what fails elsewhere', async () => {
    const dispatch = worker({ two: 0 });
    await dispatch((await buildQueued(test.db, workspaceId)).group_id);
    assert.deepEqual(two.calls, []);
    outcomes.one = unavailable;
    const { id, group_id } = await buildQueued(test.db, workspaceId);
    await dispatch(group_id);
    assert.deepEqual(await attemptsOf(id), ['one retryable share', 'two accepted failover']);
  });

  it('fails over inside one dispatch, each account once, and the back-off comes after the last', async () => {
    outcomes.one = unavailable;
    const { groupId, ids } = await group(40);
    const work = await worker()(groupId);
    assert.equal(work.queued, 0);
    assert.equal(two.calls.length, 40);
    for (const id of ids) {
      const attempts = await attemptsOf(id);
      assert.ok(
        attempts.join() === 'two accepted share' ||
          attempts.join() === 'one retryable share,two accepted failover' ||
          attempts.join() === 'two accepted moved',
        attempts.join(),
      );
    }
    outcomes.two = unavailable;
    const single = await buildQueued(test.db, workspaceId);
    await assert.rejects(worker()(single.group_id), isNotHandedOff);
    const tried = (await attemptsOf(single.id)).map((attempt) => attempt.split(' ')[0]);
    assert.ok(tried.length <= 2 && new Set(tried).size === tried.length, tried.join());
  });

  it('goes to another account at once when one asks for patience', async () => {
    outcomes.one = { outcome: 'throttled', detail: '429', retryAfterMs: 60_000 };
    const dispatch = worker();
    const { groupId } = await group(30);
    assert.equal((await dispatch(groupId)).queued, 0);
    assert.equal(two.calls.length, 30);
    const single = async () => (await dispatch((await buildQueued(test.db, workspaceId)).group_id)).queued;
    while (one.calls.length === 0) assert.equal(await single(), 0);
    const calls = one.calls.length;
    for (let each = 0; each < 12; each += 1) assert.equal(await single(), 0);
    assert.equal(one.calls.length, calls, 'it is left alone');
  });

  for (const idempotent of [true, false]) {
    it(`never takes to another account what one may have taken (${idempotent ? 'with' : 'without'} idempotency keys)`, async () => {
      outcomes.one = lost;
      one = account('one', { idempotent });
      const { id, group_id } = await buildQueued(test.db, workspaceId);
      await setLevel('two', 0);
      await assert.rejects(worker()(group_id), isNotHandedOff);
      await setLevel('two', 10);
      outcomes.one = undefined;
      await worker()(group_id);
      assert.deepEqual(two.calls, []);
      assert.deepEqual(await attemptsOf(id), ['one unknown moved', `one ${idempotent ? 'accepted' : 'rejected'} same_account`]);
      assert.equal(await statusOf(test.db, id), idempotent ? 'sent/awaiting_report' : 'failed/rejected');
      assert.equal(one.calls.length, idempotent ? 2 : 1);
    });
  }

  it('what may have been taken waits for an account that is left alone, without a call', async () => {
    outcomes.one = lost;
    await setLevel('two', 0);
    const { id, group_id } = await buildQueued(test.db, workspaceId);
    await assert.rejects(worker()(group_id), isNotHandedOff);
    await setLevel('one', 0);
    await setLevel('two', 10);
    for (let turn = 0; turn < 3; turn += 1) await assert.rejects(worker()(group_id), isNotHandedOff);
    assert.equal(one.calls.length, 1);
    outcomes.one = undefined;
    await setLevel('one', 0, -1);
    const dispatch = worker();
    await dispatch(group_id);
    assert.equal(await statusOf(test.db, id), 'sent/awaiting_report', 'it is the probe itself');
  });

  it('an account at 0 gets one message at a time as a probe, and its mates do not wait for it', async () => {
    await setLevel('one', 0, -1);
    let answer: (outcome: SendOutcome) => void = () => undefined;
    const hanging = new Promise<SendOutcome>((resolve) => {
      answer = resolve;
    });
    one = stubProvider(() => hanging, { name: 'one' });
    const { groupId } = await group(30);
    const dispatched = worker()(groupId);
    const sent = async () => (await rows(test.db, `SELECT 1 FROM messages WHERE group_id = $1 AND status = 'sent'`, [groupId])).length;
    while ((await sent()) < 29) await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual([one.calls.length, two.calls.length], [1, 29]);
    answer({ outcome: 'accepted', provider_message_id: 'late' });
    assert.equal((await dispatched).queued, 0);
  });

  it('one that takes everything, but takes too long for it, is as ill as one that fails', async () => {
    const health = new RouteHealth({ db: test.db, logger: silent, windowSeconds: 60 }, shared([one, two]).routes);
    await setLevel('one', 10);
    await age(60, 'one');
    const now = Date.now();
    const took = (ms: number) => health.end({ account: 'one', startedAt: now - ms, isCounted: false }, 'good');
    for (let each = 0; each < 5; each += 1) took(2_900);
    await health.look(now + 1_100);
    assert.equal(health.levelOf('one'), 10);
    for (let each = 0; each < 25; each += 1) took(3_500);
    await health.look(now + 2_200);
    assert.deepEqual([health.levelOf('one'), health.levelOf('two')], [0, 10]);
  });

  it('is not blamed for a call that began before its level changed, nor praised', async () => {
    const health = new RouteHealth({ db: test.db, logger: silent, windowSeconds: 60 }, shared([one, two]).routes);
    const look = (inSeconds: number) => health.look(Date.now() + inSeconds * 1_000);
    await look(0);
    await age(60, 'one');
    await look(1.1);
    const early = Array.from({ length: 9 }, () => health.begin('one'));
    for (const call of early.slice(0, 5)) health.end(call, 'bad');
    await look(2.2);
    assert.equal(health.levelOf('one'), 0);
    health.end(early[5], 'good');
    await look(4);
    assert.equal(health.levelOf('one'), 0, 'what was answered late was no probe');
    health.end(health.begin('one'), 'good');
    await look(6);
    assert.equal(health.levelOf('one'), 1);
    for (const call of early.slice(6)) health.end(call, 'bad');
    await look(8);
    assert.equal(health.levelOf('one'), 1, 'three that hung before it healed');
  });

  it('is known to other workers within a second', async () => {
    outcomes.one = lost;
    const [first, second] = [worker(), worker()];
    await setLevel('two', 1);
    for (let each = 0; each < 12; each += 1) {
      const { group_id } = await buildQueued(test.db, workspaceId);
      await first(group_id).catch(() => undefined);
    }
    const calls = one.calls.length;
    assert.ok(calls >= 5);
    await new Promise((resolve) => setTimeout(resolve, 1_050));
    await first((await buildQueued(test.db, workspaceId)).group_id);
    for (let each = 0; each < 10; each += 1) await second((await buildQueued(test.db, workspaceId)).group_id);
    assert.equal(one.calls.length, calls);
    const changes = await rows<{ account: string; to_level: number }>(
      test.db,
      'SELECT account, to_level FROM route_changes WHERE to_level = 0',
    );
    assert.deepEqual(changes, [{ account: 'one', to_level: 0 }]);
  });

  it('whatever two accounts answer in whatever order, none has a message that the other took, and the books are right', async function () {
    this.timeout(60_000);
    const answers = ['accepted', 'rejected', 'unavailable', 'throttled', 'lost', 'lost but taken'] as const;
    type Answer = (typeof answers)[number];
    const plan = fc.array(fc.constantFrom<Answer>(...answers), { minLength: 4, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(plan, plan, fc.boolean(), fc.boolean(), fc.nat(2), async (ofOne, ofTwo, oneHasKeys, twoHasKeys, ill) => {
        await rows(test.db, 'TRUNCATE route_health, route_changes, provider_pace');
        if (ill > 0) await setLevel(ill === 1 ? 'one' : 'two', 1);
        const taken: string[] = [];
        const planned = (name: string, idempotent: boolean, script: Answer[]) =>
          stubProvider(
            ({ id }, call): SendOutcome => {
              const answer = script[(call - 1) % script.length];
              const at = `${name} ${id}`;
              if ((answer === 'accepted' || answer === 'lost but taken') && !(idempotent && taken.includes(at))) taken.push(at);
              if (answer === 'accepted') return { outcome: 'accepted', provider_message_id: at };
              if (answer === 'rejected') return { outcome: 'rejected', error_code: '30008', error_message: 'Unknown destination' };
              if (answer === 'throttled') return { outcome: 'throttled', detail: '429', retryAfterMs: 1 };
              return answer === 'unavailable' ? unavailable : lost;
            },
            { name, idempotent },
          );
        one = planned('one', oneHasKeys, ofOne);
        two = planned('two', twoHasKeys, ofTwo);
        const { id: payer } = await buildWorkspace(test.db, 4_000);
        const { groupId, ids } = await buildQueuedGroup(
          test.db,
          payer,
          Array.from({ length: 4 }, () => ({})),
        );
        const dispatch = worker();
        for (let turn = 0; turn < 3; turn += 1)
          await dispatch(groupId).catch((error: unknown) => assert.ok(isNotHandedOff(error), String(error)));
        await giveUpOnHandoffs(test.db, groupId);
        let spent = 0;
        for (const id of ids) {
          const by = taken.filter((each) => each.endsWith(id));
          assert.ok(by.length <= 1, `taken once at most: ${by.join()}`);
          const message = await messageOf(test.db, id);
          if (message.status === 'sent') assert.deepEqual(by, [`${message.provider} ${id}`]);
          else assert.equal(message.status, 'failed');
          assert.equal(message.credits_used, message.status === 'sent' ? 1_000 : 0);
          spent += message.credits_used;
        }
        assert.equal(await balanceOf(test.db, payer), 4_000 - spent);
      }),
      { numRuns: 30 },
    );
  });
});
