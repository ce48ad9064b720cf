import assert from 'node:assert/strict';
import type { SendOutcome } from '../../../activities/handoff/providers/provider.js';
import { buildQueued } from '../../support/rows/factories.js';
import { messageOf, statusOf } from '../../support/rows/messages.js';
import { failureOf } from '../../support/temporal/in-activity.js';
import { attemptsIn, isNotHandedOff, lost, twoAccounts, unavailable } from './two-accounts.js';

const refusal = (error_code: string, given: object = {}): SendOutcome => ({
  outcome: 'rejected',
  error_code,
  error_message: 'Refused',
  provider_error_code: '63038',
  ...given,
});

describe('an account that refuses messages because of itself', () => {
  const { test, accounts, account, worker, group, setLevel } = twoAccounts();
  const queued = () => buildQueued(test.db, test.workspaceId);
  const attemptsOf = (id: string) => attemptsIn(test.db, id, 'detail');

  for (const error_code of ['sender_refused', 'limit_exceeded']) {
    it(`a message that one account refuses as ${error_code} goes to the other at once`, async () => {
      accounts.outcomes.one = refusal(error_code);
      const { groupId, ids } = await group(24);
      assert.equal((await worker({ two: 0 })(groupId)).queued, 0);
      for (const id of ids) {
        assert.equal(await statusOf(test.db, id), 'sent/awaiting_report');
        assert.deepEqual((await attemptsOf(id)).at(-1)?.split(' ').slice(0, 2), ['two', 'accepted']);
      }
      assert.ok((await attemptsOf(ids[0] ?? '')).includes('one retryable 63038'));
    });
  }

  it('the probe of an account that refuses still goes to the other account in the same dispatch', async () => {
    accounts.outcomes.one = refusal('limit_exceeded');
    await setLevel('one', 0, -1);
    const dispatch = worker();
    const { id, group_id } = await queued();
    assert.equal((await dispatch(group_id)).queued, 0);
    assert.deepEqual(await attemptsOf(id), ['one retryable 63038', 'two accepted']);
  });

  it('a message fails with the last refusal when every account has refused it', async () => {
    accounts.outcomes.one = refusal('limit_exceeded');
    accounts.outcomes.two = refusal('sender_refused');
    const { id, group_id } = await queued();
    assert.equal((await worker({ two: 0 })(group_id)).queued, 0);
    assert.deepEqual(await attemptsOf(id), ['one retryable 63038', 'two rejected 63038']);
    const { status, error_code, provider_error_code } = await messageOf(test.db, id);
    assert.deepEqual([status, error_code, provider_error_code], ['failed', 'sender_refused', '63038']);
  });

  it('a message that one account refuses waits while the other is unavailable', async () => {
    accounts.outcomes.one = refusal('limit_exceeded');
    accounts.outcomes.two = unavailable;
    const { id, group_id } = await queued();
    const dispatch = worker({ two: 0 });
    await assert.rejects(dispatch(group_id), isNotHandedOff);
    assert.equal(await statusOf(test.db, id), 'queued/accepted');
    accounts.outcomes.two = undefined;
    assert.equal((await dispatch(group_id)).queued, 0);
    assert.equal(await statusOf(test.db, id), 'sent/awaiting_report');
  });

  it('a message that the account refuses after a call without an answer stays there, and fails', async () => {
    accounts.one = account('one', { idempotent: true });
    accounts.outcomes.one = lost;
    await setLevel('two', 0);
    const { id, group_id } = await queued();
    await assert.rejects(worker()(group_id), isNotHandedOff);
    await setLevel('two', 10);
    accounts.outcomes.one = refusal('sender_refused');
    await worker()(group_id);
    assert.deepEqual([accounts.two.calls, await statusOf(test.db, id)], [[], 'failed/rejected']);
  });

  it('a message that does not fit the sender of one account goes to another that works, and fails if none does', async () => {
    accounts.outcomes.one = refusal('sender_refused', { concernsRecipient: true });
    const taken = await queued();
    await worker({ two: 0 })(taken.group_id);
    assert.equal(await statusOf(test.db, taken.id), 'sent/awaiting_report');
    await setLevel('two', 0);
    const failed = await queued();
    await worker({ two: 0 })(failed.group_id);
    assert.equal(await statusOf(test.db, failed.id), 'failed/rejected');
  });

  it('a message above the limit of its recipient fails at once', async () => {
    accounts.outcomes.one = refusal('limit_exceeded', { concernsRecipient: true });
    const { id, group_id } = await queued();
    await worker({ two: 0 })(group_id);
    assert.deepEqual([accounts.two.calls, await statusOf(test.db, id)], [[], 'failed/rejected']);
  });

  it('a message waits a minute at most for accounts that share a channel, whatever one of them asks for', async () => {
    accounts.outcomes.one = accounts.outcomes.two = { outcome: 'retryable', detail: '503', retryAfterMs: 900_000 };
    const { group_id } = await queued();
    assert.equal((await failureOf(worker()(group_id))).nextRetryDelay, 60_000);
  });
});
