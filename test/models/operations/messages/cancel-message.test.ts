import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { openPage } from '../../../../models/operations/batches/open-page.js';
import { cancelMessage } from '../../../../models/operations/messages/cancel-message.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildAcceptedBatch } from '../../../support/rows/batches.js';
import { buildQueued, buildUndecided, buildWebhook, buildWorkspace } from '../../../support/rows/factories.js';
import {
  acceptedAs,
  balanceOf,
  buildClaimed,
  buildSent,
  claimAll,
  eventsOf,
  ledgerOf,
  messageOf,
  sandboxEverywhere,
  statusOf,
} from '../../../support/rows/messages.js';
import { recordHandoffs } from '../../../support/rows/reports.js';

const tooLate = { code: 'conflict', message: 'Message can no longer be cancelled' };
const unknown = { code: 'not_found', message: 'Message not found' };

describe('cancelMessage', () => {
  const test = useDatabase({ poolMax: 20, checksBooks: true });
  let workspaceId: string;
  beforeEach(async () => {
    workspaceId = (await buildWorkspace(test.db, 5_000)).id;
    await buildWebhook(workspaceId, 'https://one.example.test/');
  });

  it('a queued message that is cancelled fails and is refunded once, with its event', async () => {
    const { id } = await buildQueued(test.db, workspaceId);
    for (const _ of [1, 2]) {
      const { message } = await cancelMessage(test.db, workspaceId, id);
      const { status, status_detail, error_code, credits_used } = message;
      assert.deepEqual(
        { status, status_detail, error_code, credits_used },
        { status: 'failed', status_detail: 'cancelled', error_code: 'cancelled', credits_used: 0 },
      );
    }
    assert.deepEqual(await eventsOf(test.db, id), ['queued', 'failed']);
    assert.deepEqual(await ledgerOf(test.db, workspaceId), ['grant 5000', 'debit -1000', 'refund 1000']);
  });

  it('a message can be cancelled while it is scheduled or its provider is unavailable', async () => {
    const scheduled = await buildQueued(test.db, workspaceId, {
      status_detail: 'scheduled',
      scheduled_at: new Date(Date.now() + 3_600_000),
    });
    const { id, attempt } = await buildClaimed(test.db, workspaceId);
    await recordHandoffs(test.db, [{ id, attempt, provider: 'sandbox', outcome: 'retryable', detail: 'unavailable' }]);
    for (const messageId of [scheduled.id, id]) await cancelMessage(test.db, workspaceId, messageId);
    assert.equal(await balanceOf(test.db, workspaceId), 5_000);
    assert.deepEqual(await claimAll(test.db, scheduled.group_id, sandboxEverywhere), []);
  });

  it('the event of the acceptance comes first for a message of a batch whose page was not opened yet', async () => {
    const { pages } = await buildAcceptedBatch(test.db, workspaceId, [2]);
    const [{ groupId, ids }] = pages as [(typeof pages)[number]];
    const [id, other] = ids as [string, string];
    await cancelMessage(test.db, workspaceId, id);
    await openPage(test.db, groupId);
    assert.deepEqual([await eventsOf(test.db, id), await eventsOf(test.db, other)], [['queued', 'failed'], ['queued']]);
  });

  for (const earlier of ['unknown', null] as const) {
    it(`cancelMessage refuses a message whose last call failed and whose earlier answer is ${earlier ?? 'missing'}`, async () => {
      const { id, attempt } = await buildClaimed(test.db, workspaceId);
      const base = { id, provider: 'sandbox', detail: 'why' };
      if (earlier !== null) await recordHandoffs(test.db, [{ ...base, attempt, outcome: earlier }]);
      await rows(test.db, `INSERT INTO send_attempts (message_id, number, provider) VALUES ($1, 2, 'sandbox')`, [id]);
      await recordHandoffs(test.db, [{ ...base, attempt: 2, outcome: 'retryable' }]);
      await assert.rejects(cancelMessage(test.db, workspaceId, id), tooLate);
      assert.equal(await statusOf(test.db, id), 'queued/sending');
    });
  }

  for (const [when, build] of [
    ['is under way to the provider', buildClaimed],
    ['was handed off', buildSent],
  ] as const) {
    it(`cancelMessage refuses a message that ${when}`, async () => {
      const { id } = await build(test.db, workspaceId);
      const [before, events] = [await messageOf(test.db, id), await eventsOf(test.db, id)];
      await assert.rejects(cancelMessage(test.db, workspaceId, id), tooLate);
      assert.deepEqual(await messageOf(test.db, id), before);
      assert.deepEqual(await eventsOf(test.db, id), events);
      assert.equal(await balanceOf(test.db, workspaceId), 4_000);
    });
  }

  it('cancelMessage refuses a message that failed for another reason', async () => {
    const { id, attempt } = await buildClaimed(test.db, workspaceId);
    await recordHandoffs(test.db, [
      { id, attempt, provider: 'sandbox', outcome: 'rejected', error_code: '30008', error_message: 'Unknown destination' },
    ]);
    await assert.rejects(cancelMessage(test.db, workspaceId, id), tooLate);
    assert.equal((await messageOf(test.db, id)).error_code, '30008');
  });

  it('an id that is foreign, undecided, unknown or malformed cannot be cancelled', async () => {
    const stranger = await buildWorkspace(test.db);
    const [foreign, undecided] = [await buildQueued(test.db, stranger.id), await buildUndecided(test.db, workspaceId)];
    for (const id of [foreign.id, undecided.id, uuidv7(), 'no-uuid', ''])
      await assert.rejects(cancelMessage(test.db, workspaceId, id), unknown);
    assert.equal(await statusOf(test.db, foreign.id), 'queued/accepted');
    assert.equal(await statusOf(test.db, undecided.id), 'accepting/accepted');
  });

  it('a message is either cancelled or handed off when both happen at the same time', async () => {
    const { id: rich } = await buildWorkspace(test.db, 100_000);
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, async () => {
        const { id, group_id } = await buildQueued(test.db, rich);
        const [cancelled, claims] = await Promise.all([
          cancelMessage(test.db, rich, id).then(
            () => 1,
            () => 0,
          ),
          claimAll(test.db, group_id, sandboxEverywhere),
        ]);
        await recordHandoffs(
          test.db,
          claims.map((claim) => acceptedAs(claim)),
        );
        const { status } = await messageOf(test.db, id);
        return `${cancelled + claims.length} ${status === (cancelled === 1 ? 'failed' : 'sent')}`;
      }),
    );
    assert.deepEqual(new Set(outcomes), new Set(['1 true']));
  });
});
