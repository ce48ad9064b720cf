import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SendOutcome } from '../../../activities/handoff/providers/provider.js';
import { rows } from '../../support/database.js';
import { buildQueued, buildWorkspace } from '../../support/rows/factories.js';
import { balanceOf, buildQueuedGroup, giveUpNow, messageOf, statusOf } from '../../support/rows/messages.js';
import { type StubProvider, stubProvider } from '../../support/carriers/stub-provider.js';
import { attemptsIn, isNotHandedOff, lost, twoAccounts, unavailable } from './two-accounts.js';

const answers = ['accepted', 'rejected', 'unavailable', 'throttled', 'lost', 'lost but taken'] as const;
type Answer = (typeof answers)[number];

/** An account that answers by the script, again and again, and writes down what it took. */
function scripted(name: string, idempotent: boolean, script: Answer[], taken: string[]): StubProvider {
  const answerTo = ({ id }: { id: string }, call: number): SendOutcome => {
    const answer = script[(call - 1) % script.length];
    const at = `${name} ${id}`;
    if ((answer === 'accepted' || answer === 'lost but taken') && !(idempotent && taken.includes(at))) taken.push(at);
    if (answer === 'accepted') return { outcome: 'accepted', provider_message_id: at };
    if (answer === 'rejected') return { outcome: 'rejected', error_code: '30008', error_message: 'Unknown destination' };
    if (answer === 'throttled') return { outcome: 'throttled', detail: '429', retryAfterMs: 1 };
    return answer === 'unavailable' ? unavailable : lost;
  };
  return stubProvider(answerTo, { name, idempotent });
}

describe('routing', () => {
  const { test, accounts, account, worker, group, setLevel, forget } = twoAccounts();
  const attemptsOf = (id: string) => attemptsIn(test.db, id, 'route');
  /** Each message was taken once at most, and is sent or failed as its account knows it. @returns what they cost together */
  const assertTakenOnce = async (ids: string[], taken: string[]) => {
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
    return spent;
  };

  it('accounts share the messages by weight, and each attempt has the reason of its route', async () => {
    const dispatch = worker({ one: 3 });
    const ids: string[] = [];
    // The draw follows from random ids. With 24 messages the light account got half of them in one run of a hundred, with 80 in none of a million.
    for (let each = 0; each < 80; each += 1) {
      const { id, group_id } = await buildQueued(test.db, test.workspaceId);
      await dispatch(group_id);
      ids.push(id);
    }
    assert.equal(accounts.one.calls.length + accounts.two.calls.length, 80);
    assert.ok(
      accounts.one.calls.length > accounts.two.calls.length && accounts.two.calls.length > 0,
      `${accounts.one.calls.length} : ${accounts.two.calls.length}`,
    );
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

  it('a standby account gets only messages that fail elsewhere', async () => {
    const dispatch = worker({ two: 0 });
    await dispatch((await buildQueued(test.db, test.workspaceId)).group_id);
    assert.deepEqual(accounts.two.calls, []);
    accounts.outcomes.one = unavailable;
    const { id, group_id } = await buildQueued(test.db, test.workspaceId);
    await dispatch(group_id);
    assert.deepEqual(await attemptsOf(id), ['one retryable share', 'two accepted failover']);
  });

  it('a message is tried once with each account before the back-off', async () => {
    accounts.outcomes.one = unavailable;
    const { groupId, ids } = await group(40);
    const work = await worker()(groupId);
    assert.equal(work.queued, 0);
    assert.equal(accounts.two.calls.length, 40);
    for (const id of ids) {
      const attempts = await attemptsOf(id);
      assert.ok(
        attempts.join() === 'two accepted share' ||
          attempts.join() === 'one retryable share,two accepted failover' ||
          attempts.join() === 'two accepted moved',
        attempts.join(),
      );
    }
    accounts.outcomes.two = unavailable;
    const single = await buildQueued(test.db, test.workspaceId);
    await assert.rejects(worker()(single.group_id), isNotHandedOff);
    const tried = (await attemptsOf(single.id)).map((attempt) => attempt.split(' ')[0]);
    assert.ok(tried.length <= 2 && new Set(tried).size === tried.length, tried.join());
  });

  it('a message goes to another account at once when one throttles', async () => {
    accounts.outcomes.one = { outcome: 'throttled', detail: '429', retryAfterMs: 60_000 };
    const dispatch = worker();
    const { groupId } = await group(30);
    assert.equal((await dispatch(groupId)).queued, 0);
    assert.equal(accounts.two.calls.length, 30);
    const single = async () => (await dispatch((await buildQueued(test.db, test.workspaceId)).group_id)).queued;
    while (accounts.one.calls.length === 0) assert.equal(await single(), 0);
    const calls = accounts.one.calls.length;
    for (let each = 0; each < 12; each += 1) assert.equal(await single(), 0);
    assert.equal(accounts.one.calls.length, calls, 'it is left alone');
  });

  for (const idempotent of [true, false]) {
    it(`a message that an account may have accepted is never moved (${idempotent ? 'with' : 'without'} idempotency keys)`, async () => {
      accounts.outcomes.one = lost;
      accounts.one = account('one', { idempotent });
      const { id, group_id } = await buildQueued(test.db, test.workspaceId);
      await setLevel('two', 0);
      await assert.rejects(worker()(group_id), isNotHandedOff);
      await setLevel('two', 10);
      accounts.outcomes.one = undefined;
      await worker()(group_id);
      assert.deepEqual(accounts.two.calls, []);
      assert.deepEqual(await attemptsOf(id), ['one unknown moved', `one ${idempotent ? 'accepted' : 'unknown'} same_account`]);
      assert.equal(await statusOf(test.db, id), idempotent ? 'sent/awaiting_report' : 'failed/rejected');
      assert.equal(accounts.one.calls.length, idempotent ? 2 : 1);
    });
  }

  it('a message that an account may have accepted waits while that account is held', async () => {
    accounts.outcomes.one = lost;
    await setLevel('two', 0);
    const { id, group_id } = await buildQueued(test.db, test.workspaceId);
    await assert.rejects(worker()(group_id), isNotHandedOff);
    await setLevel('one', 0);
    await setLevel('two', 10);
    for (let turn = 0; turn < 3; turn += 1) await assert.rejects(worker()(group_id), isNotHandedOff);
    assert.equal(accounts.one.calls.length, 1);
    accounts.outcomes.one = undefined;
    await setLevel('one', 0, -1);
    const dispatch = worker();
    await dispatch(group_id);
    assert.equal(await statusOf(test.db, id), 'sent/awaiting_report', 'it is the probe itself');
  });

  it('each message is sent once for any answers of two accounts, and the books balance', async () => {
    const plan = fc.array(fc.constantFrom<Answer>(...answers), { minLength: 4, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(plan, plan, fc.boolean(), fc.boolean(), fc.nat(2), async (ofOne, ofTwo, oneHasKeys, twoHasKeys, failing) => {
        await forget();
        if (failing > 0) await setLevel(failing === 1 ? 'one' : 'two', 1);
        const taken: string[] = [];
        accounts.one = scripted('one', oneHasKeys, ofOne, taken);
        accounts.two = scripted('two', twoHasKeys, ofTwo, taken);
        const { id: payer } = await buildWorkspace(test.db, 4_000);
        const { groupId, ids } = await buildQueuedGroup(test.db, payer, 4);
        const dispatch = worker();
        for (let turn = 0; turn < 3; turn += 1)
          await dispatch(groupId).catch((error: unknown) => assert.ok(isNotHandedOff(error), String(error)));
        await giveUpNow(test.db, groupId);
        assert.equal(await balanceOf(test.db, payer), 4_000 - (await assertTakenOnce(ids, taken)));
      }),
      { numRuns: 30 },
    );
  });
});
