import assert from 'node:assert/strict';
import type { OutgoingMessage, SendOutcome } from '../../../activities/handoff/providers/provider.js';
import { holdAccount } from '../../../models/operations/handoff/provider-pace.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { useDatabase } from '../../support/for-each.js';
import { buildQueued, buildWorkspace } from '../../support/rows/factories.js';
import { withClock } from '../../support/shift-clock.js';
import { failureOf, inActivity, silentStarts, type Standing } from '../../support/temporal/in-activity.js';
import { buildQueuedGroup, statusOf } from '../../support/rows/messages.js';
import { everywhere, stubProvider, silentLogger as logger } from '../../support/carriers/stub-provider.js';
import { messageActivities } from '../../support/parts/activities.js';

describe('throughput of providers', () => {
  const test = useDatabase({ forEachTest: true, checksBooks: true });
  let workspaceId: string;
  beforeEach(async () => {
    workspaceId = (await buildWorkspace(test.db, 1_000_000)).id;
  });

  type Decide = (message: OutgoingMessage, call: number) => SendOutcome;
  /** A worker of its own: what it knows of holds it has from its own calls or from the database. */
  const worker = (decide?: Decide, limits = '') => {
    const provider = stubProvider(decide);
    const config = testConfig({
      TWILIO_ACCOUNT_SID: 'AC1',
      TWILIO_AUTH_TOKEN: 'token',
      PROVIDER_ACCOUNTS: 'stub=twilio,other=twilio',
      PROVIDER_LIMITS: limits,
    });
    const deps = { db: test.db, config, logger, providers: everywhere(provider), starts: silentStarts };
    const { dispatchMessages } = messageActivities(deps);
    return { provider, dispatch: (groupId: string, standing?: Standing) => inActivity(dispatchMessages, [groupId], standing) };
  };
  const throttled: SendOutcome = { outcome: 'throttled', detail: '429' };
  const taken = (id: string): SendOutcome => ({ outcome: 'accepted', provider_message_id: `p-${id}` });
  const delayOf = async (work: Promise<unknown>) => Number((await failureOf(work)).nextRetryDelay);
  const assertJittered = (actual: number, expected: number) =>
    assert.ok(actual > expected * 0.8 - 300 && actual <= expected * 1.2, String(actual));
  const group = (count: number, segments = 1) =>
    buildQueuedGroup(
      test.db,
      workspaceId,
      Array.from({ length: count }, () => ({ segments })),
    );

  it('a throttled account is held for all workers for the longest requested time, and no message fails', async () => {
    const { groupId, ids } = await group(3);
    const one = worker((_message, call) => ({ ...throttled, retryAfterMs: call * 3_000 }) as SendOutcome);
    assertJittered(await delayOf(one.dispatch(groupId)), 9_000);
    assert.equal(one.provider.calls.length, 3);
    for (const id of ids) assert.equal(await statusOf(test.db, id), 'queued/accepted');
    const other = worker();
    const { group_id } = await buildQueued(test.db, workspaceId);
    assertJittered(await delayOf(other.dispatch(group_id)), 9_000);
    assert.deepEqual(other.provider.calls, [], 'another worker leaves it alone too');
  });

  it('a message that is throttled for ten minutes is sent with two calls and charged once', async () => {
    const { id, group_id } = await buildQueued(test.db, workspaceId);
    const { provider, dispatch } = worker((_message, call) => (call === 1 ? { ...throttled, retryAfterMs: 600_000 } : taken(id)));
    assertJittered(await delayOf(dispatch(group_id)), 600_000);
    const again = worker();
    assertJittered(await delayOf(again.dispatch(group_id)), 600_000);
    await rows(test.db, `UPDATE provider_pace SET held_until = now() - interval '1 second', next_slot_at = now()`);
    assert.equal((await worker(({ id: of }) => taken(of)).dispatch(group_id)).queued, 0);
    assert.deepEqual([provider.calls.length, again.provider.calls.length], [1, 0]);
    assert.equal(await statusOf(test.db, id), 'sent/awaiting_report');
    const entries = await rows<{ kind: string }>(test.db, `SELECT kind FROM credit_entries WHERE reference = $1`, [id]);
    assert.deepEqual(entries, [{ kind: 'debit' }]);
  });

  it('a hold lasts no longer when the clock of the worker is set back', async () => {
    const { group_id } = await buildQueued(test.db, workspaceId);
    const { dispatch } = worker(() => ({ ...throttled, retryAfterMs: 60_000 }) as SendOutcome);
    await failureOf(dispatch(group_id));
    assertJittered(await withClock(-3_600_000, () => delayOf(dispatch(group_id))), 60_000);
  });

  it('a dispatch waits for a short hold and then sends the rest', async () => {
    const { groupId } = await group(4);
    const { provider, dispatch } = worker(({ id }, call) => (call <= 2 ? { ...throttled, retryAfterMs: 300 } : taken(id)));
    const startedAt = Date.now();
    const work = await dispatch(groupId);
    assert.deepEqual([work.queued, work.more, provider.calls.length], [0, false, 6]);
    assert.ok(Date.now() - startedAt >= 290);
    const attempts = await rows<{ outcome: string; count: number }>(
      test.db,
      'SELECT outcome, count(*) AS count FROM send_attempts GROUP BY outcome ORDER BY outcome',
    );
    assert.deepEqual(attempts, [
      { outcome: 'accepted', count: 4 },
      { outcome: 'throttled', count: 2 },
    ]);
  });

  it('a hold without a requested time doubles at each throttled call', async () => {
    const { group_id } = await buildQueued(test.db, workspaceId);
    const { provider, dispatch } = worker(() => throttled);
    assertJittered(await delayOf(dispatch(group_id)), 4_000);
    assert.equal(provider.calls.length, 3, 'after 0, 1 and 2 seconds');
  });

  it('waits for a held account do not count against the time for the hand-off', async () => {
    const { group_id } = await buildQueued(test.db, workspaceId);
    await holdAccount(test.db, 'stub', 60_000);
    const { provider, dispatch } = worker();
    const work = await dispatch(group_id, { scheduledTimestampMs: Date.now() - 2 * 3_600_000 });
    assertJittered(work.retryInMs ?? 0, 60_000);
    assert.deepEqual([work.queued, work.more, provider.calls], [1, false, []]);
  });

  it('groups that waited for an account without a limit do not all call when its hold ends', async () => {
    const heldAt = Date.now();
    await holdAccount(test.db, 'stub', 60_000);
    const { dispatch } = worker();
    const dueAt: number[] = [];
    for (let count = 0; count < 12; count += 1) {
      const { group_id } = await buildQueued(test.db, workspaceId);
      dueAt.push((await delayOf(dispatch(group_id))) + Date.now() - heldAt);
    }
    assert.ok(Math.min(...dueAt) > 55_000, 'none calls during the hold');
    assert.ok(Math.max(...dueAt) - Math.min(...dueAt) > 2_000, String(dueAt));
  });

  it('a message that expires during a hold fails then, and does not wait for the end of the hold', async () => {
    const beforeItsEnd = new Date(Date.now() + 30_000);
    const { groupId, ids } = await buildQueuedGroup(test.db, workspaceId, [{ expires_at: beforeItsEnd }, {}]);
    await holdAccount(test.db, 'stub', 60_000);
    const { provider, dispatch } = worker();
    const firstMs = await delayOf(dispatch(groupId));
    assert.ok(firstMs > 0 && firstMs <= 30_000, String(firstMs));
    await rows(test.db, `UPDATE messages SET expires_at = now() WHERE expires_at IS NOT NULL`);
    const work = await dispatch(groupId);
    assertJittered(work.retryInMs ?? 0, 60_000);
    assert.deepEqual([work.queued, work.more, provider.calls], [1, false, []]);
    assert.deepEqual(await Promise.all(ids.map((id) => statusOf(test.db, id))), ['failed/expired', 'queued/accepted']);
  });

  it('a group whose messages have all expired during a hold waits for nothing', async () => {
    const { group_id } = await buildQueued(test.db, workspaceId, { expires_at: new Date() });
    await holdAccount(test.db, 'stub', 60_000);
    assert.equal((await worker().dispatch(group_id)).queued, 0);
  });

  it('a single message keeps its place while another account is held', async () => {
    await worker(undefined, 'stub=10').dispatch((await group(1, 50)).groupId);
    await holdAccount(test.db, 'another', 60_000);
    const { dispatch, provider } = worker(undefined, 'stub=10');
    const { group_id, id } = await buildQueued(test.db, workspaceId);
    await dispatch(group_id, { attempt: 2, heartbeatDetails: Date.now() + 100 });
    assert.equal(provider.calls.at(-1), id);
  });

  it('a message gives up its place when its account is held', async () => {
    await holdAccount(test.db, 'stub', 60_000);
    const { dispatch, provider } = worker();
    const { group_id } = await buildQueued(test.db, workspaceId);
    assertJittered(await delayOf(dispatch(group_id, { attempt: 2, heartbeatDetails: Date.now() + 100 })), 60_000);
    assert.deepEqual(provider.calls, []);
  });

  it('a message keeps its place when it looks at its expiry before', async () => {
    const { dispatch, provider } = worker(undefined, 'stub=10');
    await dispatch((await group(1, 50)).groupId);
    const { group_id } = await buildQueued(test.db, workspaceId);
    assertJittered(await delayOf(dispatch(group_id, { attempt: 2, heartbeatDetails: Date.now() + 30_000 })), 30_000);
    assert.equal(provider.calls.length, 1);
  });

  it('all workers together send no more segments than the limit', async () => {
    const groups = await Promise.all([group(2, 2), group(1, 4), group(1, 2), group(1, 1)]);
    const calledAt: number[] = [];
    const decide: Decide = ({ id }) => {
      calledAt.push(Date.now());
      return taken(id);
    };
    const startedAt = Date.now();
    await Promise.all(groups.map(({ groupId }) => worker(decide, 'stub=10,other=1').dispatch(groupId)));
    // Whoever comes last begins when the others' time is over: 11 segments less his own, at 10 a second.
    const lastMs = Math.max(...calledAt) - startedAt;
    assert.equal(calledAt.length, 5);
    assert.ok(lastMs >= 690, `${lastMs} ms`);
  });

  it('a single message keeps its place over a retry', async () => {
    const { dispatch, provider } = worker(undefined, 'stub=10');
    await dispatch((await group(1, 50)).groupId);
    const { group_id, id } = await buildQueued(test.db, workspaceId);
    assertJittered(await delayOf(dispatch(group_id)), 5_000);
    await dispatch(group_id, { attempt: 2, heartbeatDetails: Date.now() + 100 });
    assert.equal(provider.calls.at(-1), id);
    const late = await buildQueued(test.db, workspaceId);
    await failureOf(dispatch(late.group_id, { attempt: 2, heartbeatDetails: Date.now() - 60_000 }));
    assert.equal(await statusOf(test.db, late.id), 'queued/accepted', 'a place that is long gone is not taken');
  });
});
