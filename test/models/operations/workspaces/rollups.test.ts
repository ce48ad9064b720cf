import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { deleteOldHours, rollUpChanges } from '../../../../models/operations/workspaces/roll-up-changes.js';
import { readOverview } from '../../../../models/operations/workspaces/read-overview.js';
import { cancelMessage } from '../../../../models/operations/messages/cancel-message.js';
import { recordStatuses } from '../../../../models/operations/messages/record-statuses.js';
import type { PublicStatus } from '../../../../models/rules/messages/status.js';
import { root } from '../../../deploy/project.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { acceptBatch, buildBatch } from '../../../support/rows/batches.js';
import { buildQueued, buildWorkspace } from '../../../support/rows/factories.js';
import { assertAbout } from '../../../support/measure/times.js';

const dayMs = 86_400_000;
const details = { sent: 'awaiting_report', delivered: 'delivered', failed: 'undeliverable', read: 'read' } as const;
type Later = keyof typeof details;

describe('sums of messages by hour and day', () => {
  const test = useDatabase({ forEachTest: true });
  let workspaceId: string;
  beforeEach(async () => {
    workspaceId = (await buildWorkspace(test.db)).id;
  });

  const move = (ids: readonly string[], to: Later, at = new Date()) =>
    test.db.transaction((transaction) =>
      recordStatuses(test.db, transaction, {
        to: to as PublicStatus,
        changes: ids.map((id) => ({
          id,
          status_detail: details[to],
          at,
          ...(to === 'failed' ? { error_code: '30008', error_message: 'no' } : {}),
        })),
      }),
    );
  const sums = () =>
    rows<{ unit: string; at: Date; channel: string; measure: string; key: string; count: number }>(
      test.db,
      'SELECT unit, at, channel, measure, key, count FROM message_rollups WHERE count <> 0 ORDER BY unit, at, channel, measure, key',
    );
  const rollUp = () => rollUpChanges(test.db, Date.now() + 60_000, 7);
  const wholeDays = () => ({ from: new Date(Date.now() - dayMs), to: new Date() });
  const overview = () => readOverview(test.db, workspaceId, wholeDays(), 'day');

  it('a message counts in the hour of its acceptance, with its present status', async () => {
    const { id } = await buildQueued(test.db, workspaceId);
    const { created_at: accepted } = (await rows<{ created_at: Date }>(test.db, 'SELECT created_at FROM messages'))[0] ?? assert.fail();
    await move([id], 'sent');
    await rollUp();
    const [part] = (await overview()).parts;
    assert.deepEqual({ ...part, at: null }, { at: null, channel: 'sms', messages: 1, delivered: 0, failed: 0, credits: 1_000 });
    await move([id], 'failed');
    await rollUp();
    assert.deepEqual((await overview()).reasons, [{ code: '30008', count: 1 }]);
    await move([id], 'delivered', new Date(accepted.getTime() + 10_000));
    await rollUp();
    const corrected = await overview();
    assert.deepEqual(corrected.reasons, []);
    assert.deepEqual([corrected.parts[0]?.delivered, corrected.parts[0]?.failed], [1, 0]);
    assertAbout(corrected.waits.p50Ms, 10_000, 500);
  });

  it('sums of messages take a refund back from the credits', async () => {
    const { id } = await buildQueued(test.db, workspaceId);
    await cancelMessage(test.db, workspaceId, id);
    await rollUp();
    const [part] = (await overview()).parts;
    assert.deepEqual([part?.messages, part?.failed, part?.credits], [1, 1, 0]);
  });

  it('sums by hour and day equal a count of all messages after any history, also when the notes begin later', async () => {
    const step = fc.oneof(
      fc.constant('queue' as const),
      fc.constant('batch' as const),
      fc.constant('rollUp' as const),
      fc.record({ to: fc.constantFrom<Later>('sent', 'delivered', 'failed', 'read'), which: fc.nat(30), more: fc.nat(3) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        await rows(test.db, 'TRUNCATE message_changes, message_rollups, messages, message_groups, batches CASCADE');
        for (const each of steps) {
          const ids = (await rows<{ id: string }>(test.db, 'SELECT id FROM messages ORDER BY id')).map(({ id }) => id);
          if (each === 'queue') await buildQueued(test.db, workspaceId, { channel: 'whatsapp' });
          else if (each === 'batch') await acceptBatch(test.db, (await buildBatch(test.db, workspaceId, [3])).id);
          else if (each === 'rollUp') await rollUp();
          else await move(ids.slice(each.which % Math.max(ids.length, 1)).slice(0, each.more + 1), each.to);
        }
        await rollUp();
        const sumsBefore = await sums();
        await rows(test.db, 'TRUNCATE message_rollups');
        await test.db.transaction((transaction) => test.db.query(countAll, { transaction }));
        assert.deepEqual(sumsBefore, await sums());
      }),
      { numRuns: 25 },
    );
  });

  it('sums by hour are forgotten after 35 days, and sums by day stay', async () => {
    await buildQueued(test.db, workspaceId);
    await rollUp();
    await rows(test.db, `UPDATE message_rollups SET at = at - interval '36 days'`);
    await deleteOldHours(test.db);
    assert.deepEqual([...new Set((await sums()).map(({ unit }) => unit))], ['day']);
  });
});

const countAll = readFileSync(`${root}/models/migrations/0039-count-messages.sql`, 'utf8');
