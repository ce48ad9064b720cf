import assert from 'node:assert/strict';
import type { NewMessage } from '../../../models/tables/message.js';
import { firstDeliveries } from '../../../models/operations/deliveries/due-deliveries.js';
import { buildAcceptedBatch } from '../../support/rows/batches.js';
import { rows } from '../../support/database.js';
import { buildQueued, buildWebhook, buildWorkspace } from '../../support/rows/factories.js';
import { acceptedAs, buildQueuedGroup, buildSent, claimAll, messageOf, sandboxEverywhere } from '../../support/rows/messages.js';
import { recordHandoffs } from '../../support/rows/reports.js';
import { makeOpenRowsDue } from '../../support/temporal/watcher.js';
import { longAgo, useRepairs } from './use-repairs.js';

const inAMinute = () => new Date(Date.now() + 60_000);

describe('repairs of groups', () => {
  const repairs = useRepairs();

  it('repairs of groups start no workflow for a group that waits for reports, until their time is over', async () => {
    const { group_id } = await buildSent(repairs.db, repairs.workspaceId);
    await makeOpenRowsDue(repairs.db);
    assert.deepEqual(await repairs.run(), []);
    await rows(repairs.db, `UPDATE messages SET sent_at = now() - interval '361 seconds'`);
    await makeOpenRowsDue(repairs.db);
    assert.deepEqual(await repairs.run(), [], 'the timeout is three days');
    await makeOpenRowsDue(repairs.db);
    assert.deepEqual(await repairs.run({ REPORT_TIMEOUT_SMS: '300' }), [`give up ${group_id}`]);
  });

  it('repairs of groups give up on reports of a paused batch, and of a group that they drive', async () => {
    const { groupId: due } = await buildQueuedGroup(repairs.db, repairs.workspaceId, [{}, {}]);
    const paused = (await buildAcceptedBatch(repairs.db, repairs.workspaceId, [2])).pages[0]?.groupId ?? '';
    for (const groupId of [due, paused]) {
      const [claim] = await claimAll(repairs.db, groupId, sandboxEverywhere, { limit: 1 });
      await recordHandoffs(repairs.db, [acceptedAs(claim ?? assert.fail('nothing to claim'))]);
    }
    await rows(repairs.db, `UPDATE batches SET status = 'paused'`);
    await rows(repairs.db, `UPDATE messages SET sent_at = now() - interval '361 seconds' WHERE status = 'sent'`);
    await rows(repairs.db, `UPDATE send_attempts SET started_at = ${longAgo}`);
    await makeOpenRowsDue(repairs.db);
    const calls = await repairs.run({ REPORT_TIMEOUT_SMS: '300' });
    assert.deepEqual(new Set(calls), new Set([`give up ${due}`, `give up ${paused}`, `start msg:${due}`]));
    assert.equal(calls.length, 3);
  });

  it('repairs of groups drive a page of a paused batch only when messages of it have expired', async () => {
    const page = async (expires_at: Date | null) =>
      (await buildAcceptedBatch(repairs.db, repairs.workspaceId, [2], { expires_at })).pages[0]?.groupId ?? '';
    const [expired, called, later, never] = [
      await page(new Date(Date.now() - 1_000)),
      await page(inAMinute()),
      await page(inAMinute()),
      await page(null),
    ];
    const claims = await claimAll(repairs.db, called, sandboxEverywhere);
    assert.equal(claims.length, 2);
    await rows(repairs.db, `UPDATE messages SET expires_at = ${longAgo} WHERE group_id = $1`, [called]);
    await rows(repairs.db, `UPDATE batches SET status = 'paused'`);
    await makeOpenRowsDue(repairs.db);
    assert.deepEqual(await repairs.run(), [`start page:${expired}`], 'calls in progress decide about the others');
    const looks = await rows<{ id: string; seconds: number }>(
      repairs.db,
      'SELECT id, extract(epoch FROM look_at - now())::float AS seconds FROM message_groups',
    );
    const secondsOf = (groupId: string) => looks.find(({ id }) => id === groupId)?.seconds ?? Number.NaN;
    assert.ok(secondsOf(later) > 0 && secondsOf(later) <= 70, 'it is looked at again after it expires');
    assert.ok(secondsOf(called) > 500 && secondsOf(never) > 500, 'nothing expires');
  });

  it('repairs of groups continue beside waiting groups and failed starts', async () => {
    const messages = [];
    for (let count = 0; count < 40; count += 1) messages.push(await buildQueued(repairs.db, repairs.workspaceId));
    const ids = messages.map(({ id }) => `msg:${id}`);
    repairs.running = new Set(ids.slice(0, 30));
    repairs.broken = (call) => call === `start ${ids[30]}`;
    await makeOpenRowsDue(repairs.db);
    assert.deepEqual(new Set(await repairs.run()), new Set(ids.filter((id) => id !== ids[30]).map((id) => `start ${id}`)));
    assert.deepEqual(
      repairs.lines.map(({ level, msg, what }) => [level, msg, what]),
      [
        [50, 'could not repair overdue work', 'groups'],
        [40, 'repaired groups that no workflow drove', undefined],
      ],
    );
    repairs.broken = () => false;
    await rows(repairs.db, `UPDATE message_groups SET look_at = look_at - interval '20 seconds'`);
    assert.deepEqual(await repairs.run(), [`start ${ids[30]}`], 'it is tried again before those that run');
  });

  it('repairs of groups put idle single messages of a channel into one group', async () => {
    const build = (overrides: Partial<NewMessage> = {}) => buildQueued(repairs.db, repairs.workspaceId, overrides);
    const stranger = (await buildWorkspace(repairs.db)).id;
    const [one, two, three, runs, tried, chained, mail] = [
      await build(),
      await build({ scheduled_at: new Date(Date.now() - 5_000) }),
      await buildQueued(repairs.db, stranger),
      await build(),
      await build(),
      await build(),
      await build({ channel: 'email' }),
    ];
    repairs.running.add(`msg:${runs.id}`);
    await claimAll(repairs.db, tried.group_id, sandboxEverywhere);
    await rows(repairs.db, `UPDATE send_attempts SET started_at = ${longAgo}`);
    await rows(repairs.db, `INSERT INTO fallbacks (message_id, steps, due_at) VALUES ($1, '[{"after": 60}]', now() + interval '1 hour')`, [
      chained.id,
    ]);
    await makeOpenRowsDue(repairs.db);
    const all = await repairs.run({ ACCEPT_GROUP_MAX: '100' });
    const asked = [one, two, three, runs, mail].map(({ id }) => `ask msg:${id}`);
    assert.deepEqual(new Set(all.filter((call) => call.startsWith('ask'))), new Set(asked));
    const { group_id } = await messageOf(repairs.db, one.id);
    assert.notEqual(group_id, one.id);
    const started = [`grp:${group_id}`, ...[tried, chained, mail].map(({ id }) => `msg:${id}`)].map((id) => `start ${id}`);
    assert.deepEqual(new Set(all.filter((call) => call.startsWith('start'))), new Set(started));
    for (const { id } of [two, three]) assert.equal((await messageOf(repairs.db, id)).group_id, group_id);
    for (const { id } of [runs, tried, chained, mail]) assert.equal((await messageOf(repairs.db, id)).group_id, id);
    const former = 'SELECT id FROM message_groups WHERE id = ANY($1::uuid[])';
    assert.deepEqual(await rows(repairs.db, former, [[one, two, three].map(({ id }) => id)]), []);
    const claims = await claimAll(repairs.db, group_id, sandboxEverywhere);
    assert.deepEqual(
      claims.map(({ id }) => id),
      [one, two, three].map(({ id }) => id),
    );
    assert.deepEqual(await claimAll(repairs.db, one.id, sandboxEverywhere), [], 'its former workflow finds nothing');
  });

  it('repairs of groups take the pending deliveries of idle messages into their new group', async () => {
    await buildWebhook(repairs.workspaceId, 'https://one.example.test/', { events: ['message.queued'] });
    const [one, two] = [await buildQueued(repairs.db, repairs.workspaceId), await buildQueued(repairs.db, repairs.workspaceId)];
    await makeOpenRowsDue(repairs.db);
    await repairs.run({ ACCEPT_GROUP_MAX: '100' });
    const { group_id } = await messageOf(repairs.db, one.id);
    const found = await firstDeliveries(repairs.db, group_id, false);
    assert.deepEqual(
      found.map(({ message_id }) => message_id),
      [one.id, two.id],
    );
  });

  it('repairs of groups fail early when every start fails', async () => {
    const groups = 80;
    for (let count = 0; count < groups; count += 1) await buildQueued(repairs.db, repairs.workspaceId);
    let tried = 0;
    repairs.broken = () => ++tried > 0;
    await makeOpenRowsDue(repairs.db);
    await assert.rejects(repairs.activities().repairGroups(), /start msg:.* fails/);
    assert.ok(tried < groups, `${tried} were tried`);
  });
});
