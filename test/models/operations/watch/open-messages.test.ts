import assert from 'node:assert/strict';
import { type OpenMessageLimits, openMessages } from '../../../../models/operations/watch/open-messages.js';
import { testConfig } from '../../../support/config.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildAcceptedBatch } from '../../../support/rows/batches.js';
import { buildQueued, buildWorkspace } from '../../../support/rows/factories.js';
import { buildClaimed, buildSent } from '../../../support/rows/messages.js';

describe('open messages', () => {
  const test = useDatabase({ forEachTest: true });
  let workspaceId: string;
  beforeEach(async () => {
    workspaceId = (await buildWorkspace(test.db, 10_000)).id;
  });

  const config = testConfig();
  const limit = 100;
  const open = async (limits: OpenMessageLimits = config) =>
    (await openMessages(test.db, limits, { olderThanSeconds: 300, limit })).messages;
  /** The one that is shown if only one may be: explained messages are left out first. */
  const firstChosen = async () => (await openMessages(test.db, config, { olderThanSeconds: 300, limit: 1 })).messages[0]?.message_id;
  const shownOf = async (id: string, limits?: OpenMessageLimits) => {
    const { waiting, stuck } = (await open(limits)).find(({ message_id }) => message_id === id) ?? {};
    return { what: waiting?.what, stuck, until: waiting?.until };
  };
  const age = (id: string, minutes: number) =>
    rows(test.db, `UPDATE messages SET created_at = now() - $2 * interval '1 minute' WHERE id = $1`, [id, minutes]);
  const buildUntried = async (minutes = 10) => {
    const { id } = await buildQueued(test.db, workspaceId);
    await age(id, minutes);
    return id;
  };
  const buildLost = async (sets: string) => {
    const { id } = await buildClaimed(test.db, workspaceId);
    await age(id, 30);
    await rows(test.db, `UPDATE send_attempts SET outcome = 'unknown', ${sets} WHERE message_id = $1`, [id]);
    return id;
  };

  it('a message that waits for the rate of its batch is explained, until the batch or the watcher stops', async () => {
    const batch = await buildAcceptedBatch(test.db, workspaceId, [1, 1], { rate: 0.05 });
    for (const id of batch.pages.flatMap(({ ids }) => ids)) await age(id, 30);
    /** With a time of the next message of the batch and of the next look at its pages, both from now on. */
    const openWith = async ({ nextSlot, lookAt }: { nextSlot: string; lookAt: string }) => {
      await rows(test.db, `UPDATE batches SET next_slot_at = now() + $1::interval`, [nextSlot]);
      await rows(test.db, `UPDATE message_groups SET look_at = now() + $1::interval`, [lookAt]);
      return (await open()).map(({ waiting, stuck }) => [waiting?.what, stuck]);
    };
    const [explained, isStuck] = [false, true].map((stuck) => Array.from({ length: 2 }, () => ['hand_off', stuck]));
    assert.deepEqual(await openWith({ nextSlot: '15 seconds', lookAt: '1 minute' }), explained);
    assert.deepEqual(
      await openWith({ nextSlot: '-40 seconds', lookAt: '-30 seconds' }),
      explained,
      'its next message may begin one slot later',
    );
    assert.deepEqual(await openWith({ nextSlot: '-60 seconds', lookAt: '1 minute' }), isStuck, 'nothing reserves its time');
    assert.deepEqual(await openWith({ nextSlot: '15 seconds', lookAt: '-2 minutes' }), isStuck, 'nothing would notice the loss of a page');
    const untried = await buildUntried();
    const last = (await openWith({ nextSlot: '15 seconds', lookAt: '1 minute' })).at(-1);
    assert.deepEqual(last, ['hand_off', true], 'it is not of the batch');
    assert.equal(await firstChosen(), untried);
    await rows(test.db, 'UPDATE batches SET rate = NULL');
    assert.ok(
      (await open()).every(({ stuck }) => stuck),
      'without a rate it has no reason to wait',
    );
  });

  it('a message that waits for the limit or the hold of an account of its channel is explained', async () => {
    const id = await buildUntried();
    const setPace = async (provider: string, { nextSlot, held }: { nextSlot: string; held: string }) => {
      const sql = `INSERT INTO provider_pace (provider, next_slot_at, held_until) VALUES ($1, now() + $2::interval, now() + $3::interval)`;
      await rows(test.db, 'TRUNCATE provider_pace');
      await rows(test.db, sql, [provider, nextSlot, held]);
    };
    const limited = { ...config, providerLimits: { sandbox: 2, another: 2 } };
    const explained = { what: 'hand_off', stuck: false, until: null };
    const assertStuck = async (settings: typeof config, why: string) => {
      const { what, stuck } = await shownOf(id, settings);
      assert.deepEqual({ what, stuck }, { what: 'hand_off', stuck: true }, why);
    };
    await setPace('sandbox', { nextSlot: '1 minute', held: '-1 minute' });
    assert.deepEqual(await shownOf(id, limited), explained);
    await assertStuck(config, 'it has no limit any more');
    await setPace('sandbox', { nextSlot: '-1 minute', held: '1 minute' });
    assert.deepEqual(await shownOf(id), explained, 'a hold needs no limit');
    await setPace('sandbox', { nextSlot: '-5 seconds', held: '-1 minute' });
    await assertStuck(limited, 'nothing waits for its turn');
    await setPace('another', { nextSlot: '1 minute', held: '1 minute' });
    await assertStuck(limited, 'it is not of the channel');
  });

  it('a message that should have expired is stuck, also while an account of its channel asks us to wait', async () => {
    await rows(test.db, `INSERT INTO provider_pace (provider, held_until) VALUES ('sandbox', now() + interval '1 minute')`);
    const id = await buildUntried(40);
    const lost = await buildLost(`provider = 'twilio', started_at = now() - interval '5 hours'`);
    const expiring = async (minutes: number) => {
      await rows(test.db, `UPDATE messages SET expires_at = now() + $2 * interval '1 minute' WHERE id = $1`, [id, minutes]);
      return [(await shownOf(id)).stuck, await firstChosen()];
    };
    assert.deepEqual(await expiring(20), [false, lost]);
    assert.deepEqual(await expiring(-20), [true, id]);
  });

  it('a message with a lost answer is explained until its hand-off is given up, also after a recovery', async () => {
    const id = await buildLost(`provider = 'twilio', started_at = now() - interval '5 hours'`);
    const untried = await buildUntried();
    assert.deepEqual([(await shownOf(id)).stuck, await firstChosen()], [true, id]);
    await rows(test.db, `UPDATE send_attempts SET give_up_at = now() + interval '15 minutes' WHERE message_id = $1`, [id]);
    const { what, stuck, until } = await shownOf(id);
    assert.deepEqual([what, stuck, await firstChosen()], ['report', false, untried]);
    assert.ok((until ?? new Date()) > new Date());
  });

  it('a message with a lost answer is explained while its account is asked again', async () => {
    const id = await buildLost(`started_at = now() - interval '20 minutes'`); // the sandbox can be called again
    const untried = await buildUntried();
    const { what, stuck } = await shownOf(id);
    assert.deepEqual([what, stuck, await firstChosen()], ['next_attempt', false, untried]);
    await rows(test.db, `UPDATE send_attempts SET started_at = now() - $1 * interval '1 second'`, [config.handoffTimeoutSeconds + 60]);
    assert.deepEqual([(await shownOf(id)).stuck, await firstChosen()], [true, id]);
  });

  it('a message waits for its report at most until the next step of its chain is sent', async () => {
    const { id } = await buildSent(test.db, workspaceId);
    await age(id, 10);
    const dueAt = new Date(Date.now() + 3_600_000);
    await rows(test.db, `INSERT INTO fallbacks (message_id, steps, due_at) VALUES ($1, '[]', $2)`, [id, dueAt]);
    assert.deepEqual(await shownOf(id), { what: 'report', stuck: false, until: dueAt });
    await rows(test.db, `UPDATE fallbacks SET outcome = 'sent', decided_at = now()`);
    assert.ok(((await shownOf(id)).until ?? dueAt) > dueAt);
  });
});
