import assert from 'node:assert/strict';
import { givingUpActivities, messageActivities } from '../../../activities/handoff/messages.js';
import type { Provider } from '../../../activities/handoff/providers/provider.js';
import { claimHandoffs } from '../../../models/operations/handoff/claim-handoffs.js';
import { recordReports } from '../../../models/operations/reports/record-reports.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { buildQueued, buildUndecided, buildWebhook, buildWorkspace } from '../../support/rows/factories.js';
import { workspaceForEach } from '../../support/for-each.js';
import { failureOf, inActivity } from '../../support/temporal/in-activity.js';
import { buildQueuedGroup, messageOf, reportOf, routedTo, statusOf } from '../../support/rows/messages.js';
import { everywhere, stubProvider, silent as logger } from '../../support/carriers/stub-provider.js';

const done = { open: 0, queued: 0, deliveries: 0, reports: false, paused: false };

describe('messageActivities', () => {
  const test = workspaceForEach({ balance: 1_000_000 });

  const activitiesWith = (provider: Provider, env: NodeJS.ProcessEnv = {}, leaseSeconds = 0) => {
    const deps = { db: test.db, config: testConfig(env), logger, providers: everywhere(provider), leaseSeconds };
    return { ...messageActivities(deps), ...givingUpActivities(deps) };
  };
  const dispatch = (provider: Provider, groupId: string) => inActivity(activitiesWith(provider).dispatchMessages, [groupId]);

  describe('acceptMessages', () => {
    it('returns ids, deliveries and the timeouts of the channel', async () => {
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

    it('returns how long a scheduled group waits', async () => {
      const { group_id } = await buildUndecided(test.db, test.workspaceId, { scheduled_at: new Date(Date.now() + 60_000) });
      const { startInMs } = await activitiesWith(stubProvider()).acceptMessages(group_id);
      assert.ok(startInMs > 55_000 && startInMs <= 60_000, String(startInMs));
    });

    it('accepts nothing with too few credits', async () => {
      const { group_id } = await buildUndecided(test.db, (await buildWorkspace(test.db, 1)).id);
      const { accepted, deliveries } = await activitiesWith(stubProvider()).acceptMessages(group_id);
      assert.deepEqual({ accepted, deliveries }, { accepted: [], deliveries: 0 });
    });
  });

  describe('dispatchMessages', () => {
    it('hands off each message of a group once, in rounds', async () => {
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

    it('fails retryably when nothing was accepted, and keeps the message free', async () => {
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

    it('returns the remaining messages of a partial hand-off, and sends them at the next call', async () => {
      const { groupId } = await buildQueuedGroup(test.db, test.workspaceId, [{}, {}, {}]);
      const provider = stubProvider(({ id }, call) =>
        call === 2 ? { outcome: 'retryable', detail: '503' } : { outcome: 'accepted', provider_message_id: `p-${id}` },
      );
      const first = await dispatch(provider, groupId);
      assert.deepEqual([first.open, first.queued], [3, 1]);
      assert.equal((await dispatch(provider, groupId)).queued, 0);
      assert.equal(provider.calls.length, 4);
    });

    it('fails and refunds a refused message without another try', async () => {
      const { group_id, id } = await buildQueued(test.db, test.workspaceId);
      const provider = stubProvider(() => ({ outcome: 'rejected', error_code: '30008', error_message: 'Unknown destination' }));
      assert.deepEqual(await dispatch(provider, group_id), { ...done, more: false });
      assert.equal((await messageOf(test.db, id)).credits_used, 0);
    });

    const lostOnce = (idempotent: boolean) =>
      stubProvider(
        ({ id }, call) => (call === 1 ? { outcome: 'unknown', detail: 'reset' } : { outcome: 'accepted', provider_message_id: `p-${id}` }),
        { idempotent },
      );

    it('sends again after an unknown outcome to an idempotent provider', async () => {
      const { group_id, id } = await buildQueued(test.db, test.workspaceId);
      const provider = lostOnce(true);
      assert.equal((await failureOf(dispatch(provider, group_id))).type, 'NotHandedOff');
      await dispatch(provider, group_id);
      assert.deepEqual([provider.calls.length, await statusOf(test.db, id)], [2, 'sent/awaiting_report']);
    });

    it('waits for a report after an unknown outcome, and then fails and refunds as handoff_unknown', async () => {
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
    });

    it('gives up no message with a report in the inbox', async () => {
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

    it('makes no second call during a first one, even with idempotency keys', async () => {
      const { group_id, id } = await buildQueued(test.db, test.workspaceId);
      const provider = stubProvider();
      await claimHandoffs(test.db, group_id, routedTo({ sms: 'stub', whatsapp: 'stub', email: 'stub' }));
      const { dispatchMessages } = activitiesWith(provider, {}, 15);
      const { retryInMs } = await inActivity(dispatchMessages, [group_id]);
      assert.ok(retryInMs !== undefined && retryInMs > 10_000 && retryInMs <= 15_000, `${retryInMs}`);
      assert.equal(provider.calls.length, 0);
      await rows(test.db, `UPDATE send_attempts SET started_at = now() - interval '16 seconds' WHERE message_id = $1`, [id]);
      await inActivity(dispatchMessages, [group_id]);
      assert.deepEqual(provider.calls, [id]);
    });

    it('returns when the next scheduled message is due, by the clock of the database', async () => {
      const scheduled_at = new Date(Date.now() + 600_000);
      const { groupId } = await buildQueuedGroup(test.db, test.workspaceId, [{ scheduled_at }, {}]);
      const { retryInMs, queued } = await dispatch(stubProvider(), groupId);
      assert.ok(queued === 1 && retryInMs !== undefined && retryInMs > 590_000 && retryInMs <= 600_000, `${retryInMs}`);
    });

    it('returns that reports arrived during the call', async () => {
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
    it('stores the answer of the provider in the inbox, for waiting messages only', async () => {
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

  it('fails queued messages and stops waiting for sent ones when it gives up', async () => {
    const provider = stubProvider();
    const activities = activitiesWith(provider);
    const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [{}]);
    assert.deepEqual(await activities.giveUpOnHandoffs(groupId), { ...done, more: false });
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
