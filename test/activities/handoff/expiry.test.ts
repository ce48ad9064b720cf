import assert from 'node:assert/strict';
import { MockActivityEnvironment } from '@temporalio/testing';
import { everywhere, silentLogger, stubProvider } from '../../support/carriers/stub-provider.js';
import { until } from '../../support/client.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { buildQueued, buildWebhook } from '../../support/rows/factories.js';
import { buildQueuedGroup, statusOf } from '../../support/rows/messages.js';
import { failureOf, inActivity, type Standing } from '../../support/temporal/in-activity.js';
import { messageActivities } from '../../support/parts/activities.js';
import { assertLeft } from '../../support/measure/times.js';
import { unavailable } from './two-accounts.js';
import { useMessageActivities } from './use-message-activities.js';

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000);
const delayOf = async (work: Promise<unknown>) => (await failureOf(work)).nextRetryDelay;

describe('a message that expires while its carrier is unavailable', () => {
  const { test, activitiesWith, woken } = useMessageActivities();
  const failing = (retryAfterMs?: number) =>
    stubProvider(() => ({ ...unavailable, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }));
  /** Before the next try, which is in 50 seconds. */
  const early = (): Standing => ({ attempt: 12, heartbeatDetails: { notBefore: Date.now() + 50_000, waitMs: 60_000 } });
  const dispatch = (provider: ReturnType<typeof failing>, groupId: string, standing: Standing) =>
    inActivity(activitiesWith(provider).dispatchMessages, [groupId], standing);

  it('a message is checked when it expires if the next try is later', async () => {
    const { group_id } = await buildQueued(test.db, test.workspaceId, { expires_at: inSeconds(30) });
    assertLeft(await delayOf(dispatch(failing(), group_id, { attempt: 12 })), 30_000);
    assertLeft(await delayOf(dispatch(failing(50_000), group_id, { attempt: 1 })), 30_000);
  });

  it('a message is tried as before if the next try comes before its expiry', async () => {
    const { group_id } = await buildQueued(test.db, test.workspaceId, { expires_at: inSeconds(30) });
    assert.equal(await delayOf(dispatch(failing(), group_id, { attempt: 3 })), undefined);
    assert.equal(await delayOf(dispatch(failing(20_000), group_id, { attempt: 1 })), 20_000);
  });

  it('a message fails when it expires, and no carrier is called before the next try of the others', async () => {
    const { groupId, ids } = await buildQueuedGroup(test.db, test.workspaceId, [
      { expires_at: new Date() },
      { expires_at: inSeconds(20) },
      {},
    ]);
    const provider = failing();
    assertLeft(await delayOf(dispatch(provider, groupId, early())), 20_000);
    assert.deepEqual(await Promise.all(ids.map((id) => statusOf(test.db, id))), ['failed/expired', 'queued/accepted', 'queued/accepted']);
    assert.deepEqual(provider.calls, []);
    await delayOf(dispatch(provider, groupId, { attempt: 12, heartbeatDetails: { notBefore: Date.now(), waitMs: 60_000 } }));
    assert.equal(provider.calls.length, 2, 'the next try');
  });

  it('an expired message wakes the workflow of its group while its event waits for an attempt', async () => {
    const { groupId } = await buildQueuedGroup(test.db, test.workspaceId, [{ expires_at: new Date() }, {}]);
    await delayOf(dispatch(failing(), groupId, early()));
    assert.deepEqual(woken, [], 'nobody subscribes');
    await buildWebhook(test.workspaceId, 'https://receiver.example/hook');
    const next = await buildQueuedGroup(test.db, test.workspaceId, [{ expires_at: new Date() }, {}]);
    await delayOf(dispatch(failing(), next.groupId, { attempt: 12 }));
    await delayOf(dispatch(failing(), next.groupId, { attempt: 13 }));
    await rows(test.db, 'UPDATE deliveries SET in_child = true WHERE group_id = $1', [next.groupId]);
    await delayOf(dispatch(failing(), next.groupId, { attempt: 14 }));
    assert.deepEqual(woken, [next.groupId, next.groupId]);
  });

  it('no heartbeat erases the time of the next try while the workflow is signalled', async () => {
    await buildWebhook(test.workspaceId, 'https://receiver.example/hook');
    const { groupId } = await buildQueuedGroup(test.db, test.workspaceId, [{ expires_at: new Date() }, { expires_at: inSeconds(20) }]);
    const beats: unknown[] = [];
    const wake = async () => {
      const before = beats.length;
      await until(() => beats.length > before + 1, 'a heartbeat that began after the signal');
    };
    const environment = new MockActivityEnvironment({ ...early(), heartbeatTimeoutMs: 30 });
    environment.on('heartbeat', (details) => beats.push(details));
    const { dispatchMessages } = messageActivities({
      db: test.db,
      config: testConfig(),
      logger: silentLogger,
      providers: everywhere(failing()),
      starts: { wakeGroup: wake },
    });
    await failureOf(environment.run(() => dispatchMessages(groupId)));
    const { notBefore } = beats.at(-1) as { notBefore: number };
    assertLeft(notBefore - Date.now(), 50_000);
  });

  it('a message is tried at once if the clock of another worker was wrong', async () => {
    const { group_id } = await buildQueued(test.db, test.workspaceId);
    const provider = failing();
    await delayOf(dispatch(provider, group_id, { attempt: 12, heartbeatDetails: { notBefore: Date.now() + 3_600_000, waitMs: 60_000 } }));
    assert.equal(provider.calls.length, 1);
  });

  it('the hand-off ends when its only queued message has expired', async () => {
    const { group_id } = await buildQueued(test.db, test.workspaceId, { expires_at: new Date() });
    assert.deepEqual((await dispatch(failing(), group_id, early())).queued, 0);
  });

  it('a carrier is called again after its Retry-After, but within the time for the hand-off', async () => {
    const { group_id } = await buildQueued(test.db, test.workspaceId);
    const delayAfter = (retryAfterMs: number, standing: Standing) => delayOf(dispatch(failing(retryAfterMs), group_id, standing));
    assert.equal(await delayAfter(900_000, { attempt: 1 }), 900_000);
    assert.equal(await delayAfter(1_000, { attempt: 12 }), undefined);
    const threeHoursAgo = Date.now() - 3 * 3_600_000;
    assert.equal(await delayAfter(900_000, { attempt: 1, scheduledTimestampMs: threeHoursAgo }), 60_000);
  });

  it('a carrier that asks for more than the rest of the hand-off time is called once more in that time', async () => {
    const { group_id } = await buildQueued(test.db, test.workspaceId);
    const delayWith = (leftMs: number, attempt: number) => {
      const scheduledTimestampMs = Date.now() - 4 * 3_600_000 + leftMs;
      return delayOf(dispatch(failing(120_000), group_id, { attempt, scheduledTimestampMs }));
    };
    assertLeft(await delayWith(50_000, 1), 25_000);
    assertLeft(await delayWith(50_000, 12), 25_000);
    assert.equal(await delayWith(19_000, 1), 60_000, 'the rest is too short for a call');
  });
});
