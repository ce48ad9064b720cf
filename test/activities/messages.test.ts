import assert from 'node:assert/strict';
import { givingUpActivities, messageActivities } from '../../activities/messages.js';
import type { Provider } from '../../activities/providers/provider.js';
import { recordReports } from '../../models/operations/record-reports.js';
import { testConfig } from '../support/config.js';
import { rows } from '../support/database.js';
import { buildQueued, buildUndecided, buildWebhook, buildWorkspace } from '../support/factories.js';
import { workspaceForEach } from '../support/for-each.js';
import { failureOf, inActivity } from '../support/in-activity.js';
import { buildQueuedGroup, messageOf, reportOf, statusOf } from '../support/messages.js';
import { everywhere, stubProvider, silent as logger } from '../support/stub-provider.js';

const done = { open: 0, queued: 0, deliveries: 0, reports: false, paused: false };

describe('messageActivities', () => {
  const test = workspaceForEach({ balance: 1_000_000 });

  const activitiesWith = (provider: Provider, env: NodeJS.ProcessEnv = {}) => {
    const deps = { db: test.db, config: testConfig(env), logger, providers: everywhere(provider) };
    return { ...messageActivities(deps), ...givingUpActivities(deps) };
  };
  const dispatch = (provider: Provider, groupId: string) => inActivity(activitiesWith(provider).dispatchMessages, [groupId]);

  describe('acceptMessages', () => {
    it('tells ids, deliveries and the time-outs of the channel', async () => {
      await buildWebhook(test.workspaceId, 'https://one.example.test/');
      const { group_id, id } = await buildUndecided(test.db, test.workspaceId, { channel: 'email' });
      const activities = activitiesWith(stubProvider(), { REPORT_TIMEOUT_EMAIL: '77', REPORT_TIMEOUT_SMS: '5', HANDOFF_TIMEOUT: '9' });
      assert.deepEqual(await activities.acceptMessages(group_id), {
        accepted: [id],
        deliveries: 1,
        startInMs: 0,
        handoffTimeoutMs: 9_000,
        reportTimeoutMs: 77_000,
      });
    });

    it('tells how long a scheduled group waits', async () => {
      const { group_id } = await buildUndecided(test.db, test.workspaceId, { scheduled_at: new Date(Date.now() + 60_000) });
      const { startInMs } = await activitiesWith(stubProvider()).acceptMessages(group_id);
      assert.ok(startInMs > 55_000 && startInMs <= 60_000, String(startInMs));
    });

    it('tells that nothing was accepted when the balance is short', async () => {
      const { group_id } = await buildUndecided(test.db, (await buildWorkspace(test.db, 1)).id);
      const { accepted, deliveries } = await activitiesWith(stubProvider()).acceptMessages(group_id);
      assert.deepEqual({ accepted, deliveries }, { accepted: [], deliveries: 0 });
    });
  });

  describe('dispatchMessages', () => {
    it('hands over each message of a group once, in rounds', async () => {
      const { groupId, ids } = await buildQueuedGroup(
        test.db,
        test.workspaceId,
        Array.from({ length: 45 }, () => ({})),
      );
      let [running, most] = [0, 0];
      const provider = stubProvider(async ({ id }) => {
        most = Math.max(most, ++running);
        await new Promise(setImmediate);
        running -= 1;
        return { outcome: 'accepted', provider_message_id: `p-${id}` };
      });
      const work = await dispatch(provider, groupId);
      assert.deepEqual(work, { ...done, open: 45, more: false });
      assert.deepEqual(provider.calls.toSorted(), ids);
      assert.ok(most > 1 && most <= 25, `${most} at once`);
      assert.deepEqual((await dispatch(provider, groupId)).queued, 0);
      assert.equal(provider.calls.length, 45, 'a second call hands over nothing');
    });

    it('fails retryably when nothing was taken, and leaves the message free', async () => {
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

    it('returns what is left when a part was taken, and hands over the rest at the next call', async () => {
      const { groupId } = await buildQueuedGroup(test.db, test.workspaceId, [{}, {}, {}]);
      const provider = stubProvider(({ id }, call) =>
        call === 2 ? { outcome: 'retryable', detail: '503' } : { outcome: 'accepted', provider_message_id: `p-${id}` },
      );
      const first = await dispatch(provider, groupId);
      assert.deepEqual([first.open, first.queued], [3, 1]);
      assert.equal((await dispatch(provider, groupId)).queued, 0);
      assert.equal(provider.calls.length, 4);
    });

    it('counts a refusal as settled: failed, refunded, not tried again', async () => {
      const { group_id, id } = await buildQueued(test.db, test.workspaceId);
      const provider = stubProvider(() => ({ outcome: 'rejected', error_code: '30008', error_message: 'Unknown destination' }));
      assert.deepEqual(await dispatch(provider, group_id), { ...done, more: false });
      assert.equal((await messageOf(test.db, id)).credits_used, 0);
    });

    it('sends again after an unknown outcome only where the provider knows idempotency keys', async () => {
      for (const idempotent of [true, false]) {
        const { group_id, id } = await buildQueued(test.db, test.workspaceId);
        const provider = stubProvider(
          (_message, call) =>
            call === 1 ? { outcome: 'unknown', detail: 'reset' } : { outcome: 'accepted', provider_message_id: `p-${id}` },
          { idempotent },
        );
        assert.equal((await failureOf(dispatch(provider, group_id))).type, 'NotHandedOff');
        await dispatch(provider, group_id);
        assert.deepEqual(
          [provider.calls.length, await statusOf(test.db, id)],
          idempotent ? [2, 'sent/awaiting_report'] : [1, 'failed/rejected'],
        );
      }
    });

    it('tells that reports came while it was under way', async () => {
      const { group_id } = await buildQueued(test.db, test.workspaceId);
      const provider = stubProvider(async ({ id }) => {
        await recordReports(test.db, [
          reportOf({ id, provider_message_id: `p-${id}` }, 'delivered', { provider: 'stub', message_id: null }),
        ]);
        return { outcome: 'accepted', provider_message_id: `p-${id}` };
      });
      assert.equal((await dispatch(provider, group_id)).reports, true);
    });
  });

  describe('pollReports', () => {
    it('puts what the provider says into the inbox, and asks only for what waits', async () => {
      const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [{}, {}]);
      const asked: string[] = [];
      const provider = stubProvider(undefined, {
        fetchStatus: async (id) => {
          asked.push(id);
          return id === `p-${ids[0]}`
            ? {
                status: 'failed',
                error_code: '30007',
                is_permanent: false,
                provider_error_code: '30007',
                occurred_at: new Date(),
                raw: '{}',
              }
            : null;
        },
      });
      const activities = activitiesWith(provider);
      await dispatch(provider, groupId);
      await inActivity(activities.pollReports, [groupId]);
      assert.deepEqual(
        asked,
        ids.map((id) => `p-${id}`),
      );
      assert.equal((await activities.applyReports(groupId)).open, 1);
      assert.deepEqual(await Promise.all(ids.map((id) => statusOf(test.db, id))), ['failed/undeliverable', 'sent/awaiting_report']);
      await inActivity(activities.pollReports, [groupId]);
      assert.equal(asked.length, 3);
    });
  });

  it('giving up fails what is queued and forgets what is sent', async () => {
    const provider = stubProvider();
    const activities = activitiesWith(provider);
    const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [{}]);
    assert.deepEqual(await activities.giveUpOnHandoffs(groupId), done);
    assert.equal((await messageOf(test.db, ids[0] ?? '')).error_code, 'provider_unavailable');
    const { group_id, id } = await buildQueued(test.db, test.workspaceId);
    await dispatch(provider, group_id);
    assert.deepEqual(await activities.giveUpOnReports(group_id), { open: 0 });
    assert.equal(await statusOf(test.db, id), 'sent/unknown');
    assert.deepEqual(
      await rows(test.db, 'SELECT id FROM message_groups WHERE closed_at IS NULL AND id = ANY($1::uuid[])', [[groupId, group_id]]),
      [],
    );
  });
});
