/** Waits for PROVIDER_LIMITS with a HANDOFF_TIMEOUT that is shorter than the queue of the provider. */
import assert from 'node:assert/strict';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { workspaceForEach } from '../../support/for-each.js';
import { buildAcceptedBatch } from '../../support/rows/batches.js';
import { buildQueued } from '../../support/rows/factories.js';
import { buildQueuedGroup } from '../../support/rows/messages.js';
import { failureOf, inActivity, silentStarts, type Standing } from '../../support/temporal/in-activity.js';
import { everywhere, stubProvider, silentLogger as logger } from '../../support/carriers/stub-provider.js';
import { messageActivities } from '../../support/parts/activities.js';

describe('limits of providers and HANDOFF_TIMEOUT', () => {
  const test = workspaceForEach({ balance: 1_000_000 });
  beforeEach(() => rows(test.db, 'TRUNCATE provider_pace'));

  const worker = (limits: string) => {
    const provider = stubProvider();
    const config = testConfig({
      TWILIO_ACCOUNT_SID: 'AC1',
      TWILIO_AUTH_TOKEN: 'token',
      PROVIDER_ACCOUNTS: 'stub=twilio',
      PROVIDER_LIMITS: limits,
    });
    const deps = { db: test.db, config, logger, providers: everywhere(provider), starts: silentStarts };
    const { dispatchMessages } = messageActivities(deps);
    return {
      provider,
      dispatch: (groupId: string, standing: Standing = {}) => inActivity(dispatchMessages, [groupId, undefined], standing),
      page: (groupId: string, batchId: string) => inActivity(dispatchMessages, [groupId, batchId]),
    };
  };
  /** The time that is given away already. */
  const reserveUntil = (seconds: number) =>
    rows(test.db, `INSERT INTO provider_pace (provider, next_slot_at) VALUES ('stub', now() + $1 * interval '1 second')`, [seconds]);
  const nextSlotAt = async () => {
    const [row] = await rows<{ at: string }>(test.db, 'SELECT next_slot_at::text AS at FROM provider_pace');
    return row?.at;
  };
  const reservedForMs = async () => {
    const sql = 'SELECT extract(epoch FROM next_slot_at - now())::double precision * 1000 AS ms FROM provider_pace';
    return (await rows<{ ms: number }>(test.db, sql))[0]?.ms ?? 0;
  };

  it('no place is reserved for a wait that is longer than the activity, which is asked again in time', async () => {
    await reserveUntil(40);
    const before = await nextSlotAt();
    const { group_id } = await buildQueued(test.db, test.workspaceId);
    const { dispatch, provider } = worker('stub=1');
    const { queued, retryInMs = 0 } = await dispatch(group_id, { scheduleToCloseTimeoutMs: 60_000 });
    assert.deepEqual([queued, provider.calls], [1, []]);
    assert.ok(retryInMs > 20_000 && retryInMs <= 40_000, `${retryInMs} ms`);
    assert.equal(await nextSlotAt(), before);
  });

  it('a wait that the activity can hold is reserved for its next attempt', async () => {
    await reserveUntil(20);
    const before = await nextSlotAt();
    const { group_id } = await buildQueued(test.db, test.workspaceId);
    const { dispatch } = worker('stub=1');
    const delayMs = Number((await failureOf(dispatch(group_id, { scheduleToCloseTimeoutMs: 60_000 }))).nextRetryDelay);
    assert.ok(delayMs > 10_000 && delayMs <= 20_000, `${delayMs} ms`);
    assert.notEqual(await nextSlotAt(), before);
  });

  it('a group that is handed off in part reserves only the time that it uses', async () => {
    const { groupId } = await buildQueuedGroup(test.db, test.workspaceId, 40);
    const { dispatch, provider } = worker('stub=1');
    const { queued, retryInMs = 0 } = await dispatch(groupId);
    assert.deepEqual([queued, provider.calls.length], [15, 25]);
    assert.ok(retryInMs > 10_000 && retryInMs <= 25_000, `${retryInMs} ms`);
    assert.ok((await reservedForMs()) <= 25_000, 'only the time of the first 25 messages');
  });

  it('an activity whose time ends soon returns the wait, and does not keep its slot', async () => {
    const { group_id } = await buildQueued(test.db, test.workspaceId);
    const { dispatch, provider } = worker('stub=10');
    await reserveUntil(1.9); // last, because a slow machine must ask before this time
    const atItsEnd = { scheduledTimestampMs: Date.now() - 1_000, scheduleToCloseTimeoutMs: 1_000 };
    const { queued, retryInMs } = await dispatch(group_id, atItsEnd);
    assert.deepEqual([queued, provider.calls], [1, []]);
    assert.ok(retryInMs !== undefined && retryInMs <= 1_900, `${retryInMs} ms`);
  });

  it('a message that a low limit would delay for hours is tried again after ten minutes', async () => {
    await reserveUntil(3 * 3_600);
    const { group_id } = await buildQueued(test.db, test.workspaceId);
    const delayMs = Number((await failureOf(worker('stub=0.001').dispatch(group_id))).nextRetryDelay);
    assert.ok(delayMs > 400_000 && delayMs <= 600_000, `${delayMs} ms`);
  });

  it('a page that a low limit would delay for hours is tried again after an hour', async () => {
    await reserveUntil(5 * 3_600);
    const { id, pages } = await buildAcceptedBatch(test.db, test.workspaceId, [1]);
    const { retryInMs = 0 } = await worker('stub=0.001').page(pages[0]?.groupId ?? '', id);
    assert.ok(retryInMs > 2_800_000 && retryInMs <= 4_400_000, `${retryInMs} ms`);
  });
});
