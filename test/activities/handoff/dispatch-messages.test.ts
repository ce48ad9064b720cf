import assert from 'node:assert/strict';
import { forEachChannel } from '../../../models/channels.js';
import { stubProvider } from '../../support/carriers/stub-provider.js';
import { rows } from '../../support/database.js';
import { buildQueued, buildWebhook } from '../../support/rows/factories.js';
import { buildQueuedGroup, claimAll, eventsOf, messageOf, reportOf, routedTo, statusOf } from '../../support/rows/messages.js';
import { recordReports } from '../../support/rows/reports.js';
import { shiftClock } from '../../support/shift-clock.js';
import { failureOf, inActivity } from '../../support/temporal/in-activity.js';
import { buildPage } from '../../models/operations/batches/new-batch.js';
import { done, useMessageActivities } from './use-message-activities.js';

describe('dispatchMessages', () => {
  const { test, activitiesWith, dispatch } = useMessageActivities();

  it('each message of a group is handed off once, in rounds of at most 25 calls', async () => {
    const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, 45);
    let [running, highest] = [0, 0];
    const provider = stubProvider(async ({ id }) => {
      highest = Math.max(highest, ++running);
      await new Promise(setImmediate);
      running -= 1;
      return { outcome: 'accepted', provider_message_id: `p-${id}` };
    });
    const work = await dispatch(provider, groupId);
    assert.deepEqual(work, { ...done, open: 45, more: false });
    assert.deepEqual(provider.calls.toSorted(), ids);
    assert.ok(highest > 1 && highest <= 25, `${highest} at once`);
    assert.deepEqual((await dispatch(provider, groupId)).queued, 0);
    assert.equal(provider.calls.length, 45, 'a second call hands over nothing');
  });

  it('one of two messages to which a carrier gives the same id is unknown, and all others are recorded', async () => {
    const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [{}, {}, {}, {}]);
    const same = new Set(ids.slice(1, 3));
    const provider = stubProvider(({ id }) => ({ outcome: 'accepted', provider_message_id: same.has(id) ? 'the same' : `p-${id}` }));
    await dispatch(provider, groupId);
    const statuses = await Promise.all(ids.map((id) => statusOf(test.db, id)));
    assert.deepEqual(statuses.toSorted(), ['queued/sending', ...Array.from({ length: 3 }, () => 'sent/awaiting_report')]);
    assert.equal(provider.calls.length, 4);
  });

  it('a page that is not open yet gets its queued events once', async () => {
    await buildWebhook(test.workspaceId, 'https://one.example.test/');
    const { groupId, batchId, ids } = await buildPage(test.db, test.workspaceId);
    const provider = stubProvider(({ id }) => ({ outcome: 'accepted', provider_message_id: `p-${id}` }));
    for (const _ of [1, 2]) await inActivity(activitiesWith(provider).dispatchMessages, [groupId, batchId]);
    for (const id of ids) assert.deepEqual(await eventsOf(test.db, id), ['queued', 'sent']);
  });

  it('a dispatch without an accepted message fails retryably, and the message can still be cancelled', async () => {
    const { group_id, id } = await buildQueued(test.db, test.workspaceId);
    const failure = await failureOf(
      dispatch(
        stubProvider(() => ({ outcome: 'retryable', detail: '503' })),
        group_id,
      ),
    );
    assert.deepEqual([failure.type, failure.nonRetryable, failure.nextRetryDelay], ['NotHandedOff', false, undefined]);
    assert.equal(await statusOf(test.db, id), 'queued/accepted');
  });

  it('a dispatch returns what a partial hand-off left, and the next one sends it', async () => {
    const { groupId } = await buildQueuedGroup(test.db, test.workspaceId, [{}, {}, {}]);
    const provider = stubProvider(({ id }, call) =>
      call === 2 ? { outcome: 'retryable', detail: '503' } : { outcome: 'accepted', provider_message_id: `p-${id}` },
    );
    const first = await dispatch(provider, groupId);
    assert.deepEqual([first.open, first.queued], [3, 1]);
    assert.equal((await dispatch(provider, groupId)).queued, 0);
    assert.equal(provider.calls.length, 4);
  });

  it('a rejected message fails and is refunded without another try', async () => {
    const { group_id, id } = await buildQueued(test.db, test.workspaceId);
    const provider = stubProvider(() => ({ outcome: 'rejected', error_code: '30008', error_message: 'Unknown destination' }));
    assert.deepEqual(await dispatch(provider, group_id), { ...done, more: false });
    assert.deepEqual(await dispatch(provider, group_id), { ...done, more: false });
    const { status, error_code, credits_used } = await messageOf(test.db, id);
    assert.deepEqual([provider.calls.length, status, error_code, credits_used], [1, 'failed', '30008', 0]);
  });

  const lostOnce = (idempotent: boolean) =>
    stubProvider(
      ({ id }, call) => (call === 1 ? { outcome: 'unknown', detail: 'reset' } : { outcome: 'accepted', provider_message_id: `p-${id}` }),
      { idempotent },
    );

  it('a message with an unknown outcome is sent again to an idempotent provider', async () => {
    const { group_id, id } = await buildQueued(test.db, test.workspaceId);
    const provider = lostOnce(true);
    assert.equal((await failureOf(dispatch(provider, group_id))).type, 'NotHandedOff');
    await dispatch(provider, group_id);
    assert.deepEqual([provider.calls.length, await statusOf(test.db, id)], [2, 'sent/awaiting_report']);
  });

  it('a message with an unknown outcome waits for a report, and then fails as handoff_unknown with a refund', async () => {
    const { group_id, id } = await buildQueued(test.db, test.workspaceId);
    const provider = lostOnce(false);
    assert.equal((await failureOf(dispatch(provider, group_id))).type, 'NotHandedOff');
    const { retryInMs, queued } = await dispatch(provider, group_id);
    assert.ok(queued === 1 && retryInMs !== undefined && retryInMs > 15_000 && retryInMs <= 20_000, `${retryInMs}`);
    assert.equal((await activitiesWith(provider).giveUpOnHandoffs(group_id)).queued, 1, 'giving up waits, too');
    await rows(test.db, `UPDATE send_attempts SET started_at = now() - interval '121 seconds' WHERE message_id = $1`, [id]);
    assert.equal((await dispatch(provider, group_id)).queued, 0);
    const { error_code, credits_used } = await messageOf(test.db, id);
    assert.deepEqual([provider.calls.length, error_code, credits_used], [1, 'handoff_unknown', 0]);
    const [, givenUp] = await rows(test.db, 'SELECT outcome, detail FROM send_attempts WHERE message_id = $1 ORDER BY number', [id]);
    assert.deepEqual(givenUp, { outcome: 'unknown', detail: 'handoff_unknown' }, 'no carrier refused the message');
  });

  it('a message with a report in the inbox is not given up', async () => {
    const { group_id, id } = await buildQueued(test.db, test.workspaceId);
    const provider = lostOnce(false);
    await failureOf(dispatch(provider, group_id));
    await recordReports(test.db, [reportOf({ id, provider_message_id: `p-${id}` }, 'delivered', { provider: 'stub', message_id: id })]);
    await rows(test.db, `UPDATE send_attempts SET started_at = now() - interval '1 day' WHERE message_id = $1`, [id]);
    const { retryInMs } = await dispatch(provider, group_id);
    await activitiesWith(provider).giveUpOnHandoffs(group_id);
    assert.ok(retryInMs !== undefined && retryInMs <= 1_000, `${retryInMs}`);
    await activitiesWith(provider).applyReports(group_id);
    assert.equal(await statusOf(test.db, id), 'delivered/delivered');
  });

  it('a message is not called again during a call, even with idempotency keys', async () => {
    const { group_id, id } = await buildQueued(test.db, test.workspaceId);
    const provider = stubProvider();
    await claimAll(test.db, group_id, routedTo(forEachChannel(() => 'stub')));
    const { dispatchMessages } = activitiesWith(provider, {}, 15);
    const { retryInMs } = await inActivity(dispatchMessages, [group_id]);
    assert.ok(retryInMs !== undefined && retryInMs > 10_000 && retryInMs <= 15_000, `${retryInMs}`);
    assert.equal(provider.calls.length, 0);
    await rows(test.db, `UPDATE send_attempts SET started_at = now() - interval '16 seconds' WHERE message_id = $1`, [id]);
    await inActivity(dispatchMessages, [group_id]);
    assert.deepEqual(provider.calls, [id]);
  });

  it('a dispatch returns when the next scheduled message is due, by the clock of the database', async () => {
    const scheduled_at = new Date(Date.now() + 600_000);
    const { groupId } = await buildQueuedGroup(test.db, test.workspaceId, [{ scheduled_at }, {}]);
    const setRight = shiftClock(-300_000);
    const { retryInMs, queued } = await dispatch(stubProvider(), groupId).finally(setRight);
    assert.ok(queued === 1 && retryInMs !== undefined && retryInMs > 590_000 && retryInMs <= 600_000, `${retryInMs}`);
  });

  it('a dispatch says that reports arrived during its calls', async () => {
    const { group_id } = await buildQueued(test.db, test.workspaceId);
    const provider = stubProvider(async ({ id }) => {
      await recordReports(test.db, [reportOf({ id, provider_message_id: `p-${id}` }, 'delivered', { provider: 'stub', message_id: null })]);
      return { outcome: 'accepted', provider_message_id: `p-${id}` };
    });
    assert.equal((await dispatch(provider, group_id)).reports, true);
  });
});
