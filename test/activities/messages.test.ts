import assert from 'node:assert/strict';
import { stubProvider } from '../support/carriers/stub-provider.js';
import { rows } from '../support/database.js';
import { buildQueued, buildUndecided, buildWebhook, buildWorkspace } from '../support/rows/factories.js';
import { buildQueuedGroup, messageOf, statusOf } from '../support/rows/messages.js';
import { inActivity } from '../support/temporal/in-activity.js';
import { done, useMessageActivities } from './handoff/use-message-activities.js';

describe('messageActivities', () => {
  const { test, activitiesWith, dispatch } = useMessageActivities();

  describe('acceptMessages', () => {
    it('acceptMessages returns ids, deliveries and the timeouts of the channel', async () => {
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

    it('acceptMessages returns how long a scheduled group waits', async () => {
      const { group_id } = await buildUndecided(test.db, test.workspaceId, { scheduled_at: new Date(Date.now() + 60_000) });
      const { startInMs } = await activitiesWith(stubProvider()).acceptMessages(group_id);
      assert.ok(startInMs > 55_000 && startInMs <= 60_000, String(startInMs));
    });

    it('acceptMessages accepts nothing with too few credits', async () => {
      const { group_id } = await buildUndecided(test.db, (await buildWorkspace(test.db, 1)).id);
      const { accepted, deliveries } = await activitiesWith(stubProvider()).acceptMessages(group_id);
      assert.deepEqual({ accepted, deliveries }, { accepted: [], deliveries: 0 });
    });
  });

  describe('pollReports', () => {
    const answer = { error_code: null, is_permanent: false, provider_error_code: null, occurred_at: new Date(), raw: '{}' };

    it('pollReports queries waiting messages only, and their answers are applied', async () => {
      const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [{}, {}]);
      const asked: string[] = [];
      const provider = stubProvider(undefined, {
        fetchStatus: async (id) => {
          asked.push(id);
          return id === `p-${ids[0]}` ? { ...answer, status: 'failed', error_code: '30007', provider_error_code: '30007' } : null;
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

    it('pollReports queries only messages whose time is over when the watcher gives up', async () => {
      const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [{}, {}]);
      const asked: string[] = [];
      const provider = stubProvider(undefined, { fetchStatus: async (id) => (asked.push(id), null) });
      await dispatch(provider, groupId);
      await rows(test.db, `UPDATE messages SET sent_at = now() - interval '310 seconds' WHERE id = $1`, [ids[0]]);
      const activities = activitiesWith(provider, { REPORT_TIMEOUT_SMS: '300' });
      const overdueAt = new Date().toISOString();
      await inActivity(activities.pollReports, [groupId, { overdueAt }]);
      assert.deepEqual(asked, [`p-${ids[0]}`]);
      const overdueNow = `UPDATE messages SET sent_at = $2::timestamptz - interval '299.999 seconds' WHERE id = $1`;
      await rows(test.db, overdueNow, [ids[1], overdueAt]);
      assert.deepEqual(await activities.giveUpOnReports(groupId, overdueAt), { open: 1 }, 'the other was not queried');
    });

    it('pollReports records the other answers if a query fails or its answer cannot be stored', async () => {
      const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [{}, {}, {}, {}]);
      const [broken, nul, undated] = ids;
      const odd = new Map<string, () => object>([
        [`p-${broken}`, () => assert.fail('an answer that the adapter cannot read')],
        [`p-${nul}`, () => ({ raw: 'a\0b' })],
        [`p-${undated}`, () => ({ occurred_at: new Date('soon') })],
      ]);
      const fetchStatus = async (id: string) => ({ ...answer, status: 'delivered' as const, ...odd.get(id)?.() });
      const provider = stubProvider(undefined, { fetchStatus });
      await dispatch(provider, groupId);
      const { pollReports, applyReports } = activitiesWith(provider);
      assert.equal(await inActivity(pollReports, [groupId]), null);
      await applyReports(groupId);
      const waiting = 'sent/awaiting_report';
      assert.deepEqual(await Promise.all(ids.map((id) => statusOf(test.db, id))), [
        waiting,
        waiting,
        'delivered/delivered',
        'delivered/delivered',
      ]);
    });

    it('pollReports fails if every query fails', async () => {
      const { groupId } = await buildQueuedGroup(test.db, test.workspaceId, [{}, {}]);
      const provider = stubProvider(undefined, { fetchStatus: () => Promise.reject(new Error('the database is away')) });
      await dispatch(provider, groupId);
      await assert.rejects(inActivity(activitiesWith(provider).pollReports, [groupId]), /the database is away/);
    });

    it('pollReports ends in its time when a provider hangs, and the next call queries the other messages', async () => {
      const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, 62);
      const asked: string[] = [];
      const realNow = performance.now.bind(performance);
      let passed = 0;
      const fetchStatus = async (id: string) => {
        asked.push(id);
        passed += 1_000; // ten at once take ten seconds
        return id === `p-${ids[0]}` ? { ...answer, status: 'delivered' as const } : null;
      };
      const provider = stubProvider(undefined, { fetchStatus });
      await dispatch(provider, groupId);
      const { pollReports, applyReports } = activitiesWith(provider);
      performance.now = () => realNow() + passed;
      try {
        const after = await inActivity(pollReports, [groupId]);
        assert.deepEqual([asked.length, after], [40, ids[39]], 'of the 60 seconds of the activity, 40 are over');
        assert.equal((await applyReports(groupId)).open, 61, 'what was asked is recorded');
        assert.equal(await inActivity(pollReports, [groupId, { after: ids[39] ?? null }]), null);
      } finally {
        performance.now = realNow;
      }
      assert.deepEqual(
        asked,
        ids.map((id) => `p-${id}`),
      );
    });

    it('pollReports queries ten messages at once', async () => {
      const { groupId } = await buildQueuedGroup(test.db, test.workspaceId, 12);
      let [running, most] = [0, 0];
      const fetchStatus = async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 50));
        running -= 1;
        return null;
      };
      const provider = stubProvider(undefined, { fetchStatus });
      await dispatch(provider, groupId);
      await inActivity(activitiesWith(provider).pollReports, [groupId]);
      assert.equal(most, 10);
    });
  });

  it('a group that only waited for a worker stays queued, unless it was tried in the time for the hand-off', async () => {
    const activities = activitiesWith(stubProvider());
    const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [{}, {}]);
    const queuedAfter = async () => (await activities.giveUpOnHandoffs(groupId, true)).queued;
    assert.equal(await queuedAfter(), 2, 'never tried');
    const tried = `INSERT INTO send_attempts (message_id, number, provider, outcome, started_at) VALUES ($1, 1, 'sandbox', 'retryable', now() - interval '5 hours')`;
    await rows(test.db, tried, [ids[0]]);
    assert.equal(await queuedAfter(), 2, 'tried before that time');
    await rows(test.db, `UPDATE send_attempts SET started_at = now() - interval '3 hours' WHERE message_id = $1`, [ids[0]]);
    assert.equal(await queuedAfter(), 0);
  });

  it('giving up fails queued messages, and ends the wait of sent ones for reports', async () => {
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
