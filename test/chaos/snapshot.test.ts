import assert from 'node:assert/strict';
import { cancelBatch } from '../../models/operations/batches/change-batch.js';
import { buildAcceptedBatch } from '../support/rows/batches.js';
import { buildWebhook } from '../support/rows/factories.js';
import { rows } from '../support/database.js';
import { workspaceForEach } from '../support/for-each.js';
import { acceptedAs, buildClaimed, reportOf } from '../support/rows/messages.js';
import { applyReports, recordHandoffs, recordReports } from '../support/rows/reports.js';
import { assertRecent } from '../support/measure/times.js';
import type { HistoryRecord } from './records.js';
import { judge, rules } from './oracle/judge.js';
import { readSnapshot } from './oracle/snapshot.js';

describe('the snapshot of a run', () => {
  const test = workspaceForEach();

  it('the snapshot of a run contains what the oracle needs, and survives JSON unchanged', async () => {
    const { row: webhook } = await buildWebhook(test.workspaceId, 'https://one.example.test/');
    const claim = await buildClaimed(test.db, test.workspaceId, { content: { text: 'Code tk7z000012, Ada 👋' } });
    await recordHandoffs(test.db, [acceptedAs(claim, 'SM1')]);
    await recordReports(test.db, [reportOf({ id: claim.id, provider_message_id: 'SM1' }, 'delivered')]);
    const [row] = await rows<{ group_id: string }>(test.db, 'SELECT group_id FROM messages WHERE id = $1', [claim.id]);
    await applyReports(test.db, row?.group_id ?? '');
    const batch = await buildAcceptedBatch(test.db, test.workspaceId, [2, 1], { content: { text: 'tk7z000014' } });
    await cancelBatch(test.db, test.workspaceId, batch.id);

    const snapshot = await readSnapshot(test.db);
    assert.deepEqual(JSON.parse(JSON.stringify(snapshot)), snapshot);
    const message = snapshot.messages.find(({ id }) => id === claim.id);
    assert.equal(message?.token, 'tk7z000012');
    assert.equal(message.length, 22);
    assert.equal(message.status, 'delivered');
    assertRecent(message.created_at); // in epoch milliseconds
    assert.deepEqual(
      snapshot.inbox.map(({ provider_message_id, status }) => [provider_message_id, status]),
      [['SM1', 'delivered']],
    );
    assert.equal(snapshot.attempts.find(({ message_id }) => message_id === claim.id)?.outcome, 'accepted');
    const events = snapshot.events.filter(({ message_id }) => message_id === claim.id);
    assert.deepEqual(events.map(({ type }) => type).toSorted(), ['message.delivered', 'message.queued', 'message.sent']);
    assert.ok(
      snapshot.deliveries.every(({ webhook_id, attempts, is_scheduled }) => webhook_id === webhook.id && attempts === 0 && is_scheduled),
    );
    assert.equal(snapshot.batches[0]?.status, 'cancelled');
  });

  it('the snapshot of a run breaks no rule about money, prices, events or batches if it is of real books', async () => {
    await buildWebhook(test.workspaceId, 'https://one.example.test/');
    await buildClaimed(test.db, test.workspaceId, { content: { text: 'tk7z000013' } });
    const batch = await buildAcceptedBatch(test.db, test.workspaceId, [2, 1], { content: { text: 'tk7z000014' } });
    await cancelBatch(test.db, test.workspaceId, batch.id);
    const inside = [
      'ledger-folds',
      'debits-match',
      'refunds-match',
      'credits-used',
      'prices-are-right',
      'messages-are-counted',
      'event-is-true',
      'batch-adds-up',
      'ledger-order',
    ];
    const history: HistoryRecord[] = [{ type: 'phase', phase: 'run', at: Date.now() }];
    const judgedBy = rules.filter(({ name }) => inside.includes(name));
    assert.equal(judgedBy.length, inside.length);
    assert.deepEqual(judge(history, await readSnapshot(test.db), {}, judgedBy).violations, []);
  });
});
