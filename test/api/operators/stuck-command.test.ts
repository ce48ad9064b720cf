import assert from 'node:assert/strict';
import { noteHeartbeat } from '../../../models/operations/watch/worker-heartbeats.js';
import { rows } from '../../support/database.js';
import { buildAcceptedBatch } from '../../support/rows/batches.js';
import { buildQueued, buildUndecided } from '../../support/rows/factories.js';
import { buildClaimed, buildSent } from '../../support/rows/messages.js';
import { runAdmin } from '../../support/run-admin.js';
import type { Account } from '../start-app.js';
import { useApi } from '../use-api.js';

describe("the operator's command stuck", () => {
  const app = useApi({ forEachTest: true });
  let account: Account;
  beforeEach(async () => {
    account = await app.account();
  });
  const stuck = async (...args: string[]) => {
    const { code, out } = await runAdmin(app.deps, 'stuck', '--json', ...args);
    const { messages, ...rest } = JSON.parse(out);
    type Shown = { message_id: string; stuck: boolean; waiting: { what: string } | null };
    const shown = (messages as Shown[]).map(({ message_id, waiting, ...message }) => [message_id, waiting?.what ?? null, message.stuck]);
    return { code, shown, rest };
  };
  const age = (id: string, by: string) =>
    rows(app.deps.db, `UPDATE messages SET created_at = created_at - $2::interval, sent_at = sent_at - $2::interval WHERE id = $1`, [
      id,
      by,
    ]);

  it('stuck shows what has not ended, the oldest first, and marks what nothing explains', async () => {
    const { db } = app.deps;
    assert.deepEqual((await stuck()).shown, []);
    const undecided = await buildUndecided(db, account.workspaceId);
    const untried = await buildQueued(db, account.workspaceId);
    const waiting = await buildSent(db, account.workspaceId);
    const overdue = await buildSent(db, account.workspaceId);
    const calling = await buildClaimed(db, account.workspaceId);
    await buildQueued(db, account.workspaceId); // too young
    await buildQueued(db, account.workspaceId, { scheduled_at: new Date(0) }); // too young as well: a time in the past means now
    const later = await buildQueued(db, account.workspaceId, { scheduled_at: new Date(Date.now() + 3_600_000) });
    await age(overdue.id, '30 days');
    await age(waiting.id, '50 minutes');
    await age(undecided.id, '40 minutes');
    await age(untried.id, '30 minutes');
    await age(calling.id, '20 minutes');
    await age(later.id, '2 hours');
    const { code, shown, rest } = await stuck();
    assert.deepEqual(shown, [
      [overdue.id, 'report', true],
      [waiting.id, 'report', false],
      [undecided.id, null, true],
      [untried.id, 'hand_off', true],
      [calling.id, 'provider_answer', false],
    ]);
    assert.deepEqual([code, rest.stuck, rest.retried], [1, 3, null]);
    assert.equal((await stuck('--limit', '2')).shown.length, 2);
    assert.equal((await stuck('--older-than', '2700')).shown.length, 2);
  });

  it('stuck shows what nothing explains, however many older messages wait for something', async () => {
    const { db } = app.deps;
    const batch = await buildAcceptedBatch(db, account.workspaceId, [2]);
    await rows(db, `UPDATE batches SET status = 'paused' WHERE id = $1`, [batch.id]);
    const waiting = batch.pages.flatMap(({ ids }) => ids);
    waiting.push((await buildSent(db, account.workspaceId)).id, (await buildClaimed(db, account.workspaceId)).id);
    const lost = await buildClaimed(db, account.workspaceId);
    const untried = await buildQueued(db, account.workspaceId);
    const undecided = await buildUndecided(db, account.workspaceId);
    await rows(db, `UPDATE send_attempts SET started_at = now() - interval '1 hour', provider = 'twilio' WHERE message_id = $1`, [lost.id]);
    for (const id of waiting) await age(id, '50 minutes');
    for (const { id } of [lost, untried, undecided]) await age(id, '30 minutes');
    const { code, shown, rest } = await stuck('--limit', '3');
    assert.deepEqual(new Set(shown.map(([id]) => id)), new Set([lost.id, untried.id, undecided.id]));
    assert.deepEqual([code, rest.stuck], [1, 3]);
    const [oldest, ...others] = (await stuck('--limit', '4')).shown;
    assert.deepEqual([waiting.includes(String(oldest?.[0])), others.every(([, , isStuck]) => isStuck)], [true, true]);
  });

  it('stuck shows a message that a carrier throttles beyond HANDOFF_TIMEOUT as waiting, until calls end', async () => {
    const { db, config } = app.deps;
    const throttled = await buildClaimed(db, account.workspaceId);
    await rows(db, `UPDATE send_attempts SET outcome = 'throttled', finished_at = now() WHERE message_id = $1`, [throttled.id]);
    await age(throttled.id, `${config.handoffTimeoutSeconds + 3_600} seconds`);
    const waiting = await stuck();
    assert.deepEqual([waiting.code, waiting.shown], [0, [[throttled.id, 'next_attempt', false]]]);
    const untried = await buildQueued(db, account.workspaceId);
    await age(untried.id, '30 minutes');
    assert.deepEqual((await stuck('--limit', '1')).shown, [[untried.id, 'hand_off', true]]);
    const { out } = await runAdmin(app.deps, 'stuck');
    assert.match(out, new RegExp(`^  ${throttled.id} .* if none succeeds$`, 'm')); // its end is not known
    await rows(db, `UPDATE send_attempts SET started_at = now() - $2 * interval '1 second' WHERE message_id = $1`, [
      throttled.id,
      config.handoffTimeoutSeconds + 60,
    ]);
    assert.deepEqual((await stuck('--limit', '1')).shown, [[throttled.id, 'next_attempt', true]]);
  });

  it('stuck --retry makes the watcher look at stuck messages at once, and leaves the others alone', async () => {
    const { db } = app.deps;
    const [untried, waiting] = [await buildQueued(db, account.workspaceId), await buildSent(db, account.workspaceId)];
    for (const { id } of [untried, waiting]) await age(id, '30 minutes');
    assert.equal((await stuck('--retry')).rest.retried, 1);
    const due = await rows<{ id: string }>(db, 'SELECT id FROM message_groups WHERE look_at <= now()');
    assert.deepEqual(
      due.map(({ id }) => id),
      [untried.group_id],
    );
  });

  it('stuck says that it shows the first messages only, and that no worker is alive', async () => {
    const { db } = app.deps;
    for (let count = 1; count <= 3; count += 1) await age((await buildQueued(db, account.workspaceId)).id, '30 minutes');
    const text = async (...args: string[]) => (await runAdmin(app.deps, 'stuck', ...args)).out;
    assert.match(
      await text('--limit', '2'),
      /^The first 2 messages \(--limit\) not ended 300 s after the due time, 2 of them stuck\. There are more\.$/m,
    );
    const more = async (limit: string) => {
      const { limit: shown, has_more } = (await stuck('--limit', limit)).rest;
      return [shown, has_more];
    };
    assert.deepEqual(
      [await more('2'), await more('3')],
      [
        [2, true],
        [3, false],
      ],
    );
    assert.match(await text('--retry'), /^The watcher checks 3 groups when a worker runs: no worker is alive now\.$/m);
    await noteHeartbeat(db, 'test', 'main');
    assert.match(await text('--retry'), /^The watcher checks 3 groups within 30 s\.$/m);
  });

  it('stuck exits with 2 for a limit that is no number', async () => {
    const { code, err } = await runAdmin(app.deps, 'stuck', '--limit', 'x');
    assert.deepEqual([code, err], [2, '--limit must be a number from 0 to 10000\n']);
  });

  it('stuck exits with 0 where each message waits for something', async () => {
    const { id } = await buildSent(app.deps.db, account.workspaceId);
    await age(id, '30 minutes');
    const { code, shown } = await stuck();
    assert.deepEqual([code, shown.length], [0, 1]);
  });

  it('stuck says "1 message" for one', async () => {
    const { id } = await buildSent(app.deps.db, account.workspaceId);
    await age(id, '30 minutes');
    const { out } = await runAdmin(app.deps, 'stuck');
    assert.match(out, /^1 message not ended 300 s after the due time, 0 of them stuck\.$/m);
  });
});
