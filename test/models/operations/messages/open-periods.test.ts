import assert from 'node:assert/strict';
import fc from 'fast-check';
import { listMessages } from '../../../../models/operations/messages/list-messages.js';
import { openPeriods } from '../../../../models/operations/messages/open-periods.js';
import { recordStatuses } from '../../../../models/operations/messages/record-statuses.js';
import { deleteOldHours, rollUpChanges } from '../../../../models/operations/workspaces/roll-up-changes.js';
import type { PublicStatus } from '../../../../models/rules/messages/status.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { rows } from '../../../support/database.js';
import { buildQueued, buildWorkspace } from '../../../support/rows/factories.js';
import { noFilters } from '../../../support/rows/messages.js';

const hourMs = 3_600_000;
const details = { sent: 'awaiting_report', delivered: 'delivered', failed: 'undeliverable' } as const;
type Later = keyof typeof details;

describe('the list of sent messages', () => {
  const test = workspaceForEach();
  let workspaceId: string;
  beforeEach(() => (workspaceId = test.workspaceId));

  const queue = async (hoursAgo: number) =>
    (await buildQueued(test.db, workspaceId, { cost: 1, created_at: new Date(Date.now() - hoursAgo * hourMs) })).id;
  const move = (id: string, to: Later) => {
    const fault = to === 'failed' ? { error_code: '30008', error_message: 'no' } : {};
    const changes = [{ id, status_detail: details[to], at: new Date(), ...fault }];
    return test.db.transaction((transaction) => recordStatuses(test.db, transaction, { to: to as PublicStatus, changes }));
  };
  const build = async (hoursAgo: number, to: Later) => {
    const id = await queue(hoursAgo);
    await move(id, 'sent');
    if (to !== 'sent') await move(id, to);
    return id;
  };
  const rollUp = () => rollUpChanges(test.db, Date.now() + 60_000);
  const list = async (filters = {}, limit = 100) =>
    (await listMessages(test.db, workspaceId, { ...noFilters, status: 'sent', ...filters }, { page: 1, limit })).rows.map(({ id }) => id);
  const isRead = async (id: string) => (await openPeriods(test.db, workspaceId)).some(([first, last]) => first <= id && id <= last);

  it('the list of sent messages is complete after any history, with and without open notes', async () => {
    const step = fc.oneof(
      fc.record({ hoursAgo: fc.constantFrom(0, 1, 2, 5, 23, 24, 25, 800, 839, 840, 841, 900, 2_000) }),
      fc.record({ to: fc.constantFrom<Later>('sent', 'delivered', 'failed'), which: fc.nat(30) }),
      fc.constant('rollUp' as const),
      fc.constant('forget' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30 }), async (steps) => {
        workspaceId = (await buildWorkspace(test.db)).id;
        const ids: string[] = [];
        for (const each of steps) {
          if (each === 'rollUp') await rollUp();
          else if (each === 'forget') await deleteOldHours(test.db);
          else if ('hoursAgo' in each) ids.push(await queue(each.hoursAgo));
          else if (ids.length > 0) await move(ids[each.which % ids.length] as string, each.to);
        }
        const sent = await rows<{ id: string }>(
          test.db,
          `SELECT id FROM messages WHERE workspace_id = $1 AND status = 'sent' ORDER BY id DESC`,
          [workspaceId],
        );
        assert.deepEqual(
          await list(),
          sent.map(({ id }) => id),
        );
      }),
      { numRuns: 40 },
    );
  });

  it('the list of sent messages reads no hour whose messages are all delivered or failed', async () => {
    const ended = [await build(20, 'delivered'), await build(10, 'failed')];
    const open = await build(15, 'sent');
    for (const work of [rollUp, () => Promise.resolve()]) {
      await work();
      assert.deepEqual([await isRead(open), ...(await Promise.all(ended.map(isRead)))], [true, false, false]);
    }
    await move(open, 'delivered');
    assert.equal(await isRead(open), false, 'the note of its delivery is enough');
  });

  it('the list of sent messages finds an hour by its day after the sums by hour are forgotten', async () => {
    const [old, ended] = [await build(36 * 24, 'sent'), await build(40 * 24, 'delivered')];
    await rollUp();
    await deleteOldHours(test.db);
    assert.deepEqual([await isRead(old), await isRead(ended)], [true, false]);
    assert.deepEqual(await list(), [old]);
  });

  it('the list of sent messages is complete beyond the number of periods that are distinguished', async () => {
    const ids: string[] = [];
    for (let index = 0; index < 105; index += 1) ids.push(await build(3 * index, 'sent'));
    await rollUp();
    assert.equal((await openPeriods(test.db, workspaceId)).length, 100);
    assert.deepEqual(await list({}, 200), ids);
  });

  it('the list of sent messages is also limited by its other filters', async () => {
    const [newer, older] = [await build(2, 'sent'), await build(30, 'sent')];
    const bound = new Date(Date.now() - 10 * hourMs);
    assert.deepEqual(await list({ end_date: bound }), [older]);
    assert.deepEqual(await list({ start_date: bound }), [newer]);
    assert.deepEqual(await list({ channel: 'email' }), []);
  });
});
