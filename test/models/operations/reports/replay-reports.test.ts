import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { type ReportFilter, replayReports } from '../../../../models/operations/reports/replay-reports.js';
import { readServiceGauges } from '../../../../models/operations/watch/read-service-gauges.js';
import { rows } from '../../../support/database.js';
import { buildWebhook } from '../../../support/rows/factories.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { buildSent, eventsOf, reportOf, statusOf } from '../../../support/rows/messages.js';
import { applyReports, recordReports, testKey } from '../../../support/rows/reports.js';

describe('replayReports', () => {
  const test = workspaceForEach();
  let key: Buffer;
  beforeEach(async () => {
    key = await testKey(test.db);
    await buildWebhook(test.workspaceId, 'https://one.example.test/');
    await rows(test.db, 'DELETE FROM delivery_reports RETURNING id');
  });

  /** Replays all pages and applies what is woken. */
  async function replay(filter: ReportFilter = {}, limit = 500): Promise<{ reports: number; unmatched: number }> {
    const sum = { reports: 0, unmatched: 0 };
    for (let last: string | null | undefined; last !== null; ) {
      const page = await replayReports(test.db, key, filter, last ?? null, limit);
      for (const { groupId } of page.wakes) await applyReports(test.db, groupId);
      sum.reports += page.reports;
      sum.unmatched += page.unmatched;
      last = page.last;
    }
    return sum;
  }
  const outcomesOf = (id: string) =>
    rows<{ status: string; outcome: string }>(
      test.db,
      'SELECT status, outcome FROM delivery_reports WHERE message_id = $1 AND applied_at IS NOT NULL ORDER BY id',
      [id],
    );

  it('a replay of applied reports changes nothing', async () => {
    const message = await buildSent(test.db, test.workspaceId);
    for (const status of ['failed', 'delivered', 'sent'] as const) {
      await recordReports(test.db, [reportOf(message, status)]);
      await applyReports(test.db, message.group_id);
    }
    const before = { events: await eventsOf(test.db, message.id), outcomes: await outcomesOf(message.id) };
    assert.deepEqual(await replay({}, 1), { reports: 3, unmatched: 0 });
    assert.deepEqual({ events: await eventsOf(test.db, message.id), outcomes: await outcomesOf(message.id) }, before);
    assert.equal(await statusOf(test.db, message.id), 'delivered/delivered');
  });

  it('a replay applies reports that were ignored by mistake', async () => {
    const message = await buildSent(test.db, test.workspaceId);
    await recordReports(test.db, [reportOf(message, 'delivered')]);
    await rows(test.db, `UPDATE delivery_reports SET applied_at = now(), outcome = 'ignored', reason = 'backwards' RETURNING id`);
    await applyReports(test.db, message.group_id);
    assert.equal(await statusOf(test.db, message.id), 'sent/awaiting_report');
    await replay();
    assert.deepEqual(
      [await statusOf(test.db, message.id), await outcomesOf(message.id)],
      ['delivered/delivered', [{ status: 'delivered', outcome: 'applied' }]],
    );
  });

  it('a replay matches a report that had no message', async () => {
    const message = await buildSent(test.db, test.workspaceId);
    const stranger = { id: uuidv7(), provider_message_id: 'p-unknown' };
    await recordReports(test.db, [reportOf(message, 'delivered'), reportOf(stranger, 'delivered')]);
    await rows(test.db, 'UPDATE delivery_reports SET message_id = NULL, group_id = NULL RETURNING id');
    await rows(test.db, 'UPDATE message_groups SET reports_pending = false RETURNING id');
    assert.deepEqual(await replay({ unmatched: true }), { reports: 2, unmatched: 1 });
    assert.equal(await statusOf(test.db, message.id), 'delivered/delivered');
  });

  it('a replayed report waits in the inbox since its replay, not since its first arrival', async () => {
    const message = await buildSent(test.db, test.workspaceId);
    await recordReports(test.db, [reportOf(message, 'delivered')]);
    await applyReports(test.db, message.group_id);
    await rows(test.db, `UPDATE delivery_reports SET received_at = now() - interval '1 day'`);
    const { wakes } = await replayReports(test.db, key, {}, null);
    await rows(test.db, 'DELETE FROM service_gauges');
    const { inbox_waiting, inbox_seconds } = (await readServiceGauges(test.db))?.found ?? assert.fail('no reading');
    assert.deepEqual([wakes.length, inbox_waiting, Number(inbox_seconds) < 3_600], [1, 1, true]);
  });

  it('a replay selects reports by provider, message or time', async () => {
    const messages = [await buildSent(test.db, test.workspaceId), await buildSent(test.db, test.workspaceId)] as const;
    await recordReports(
      test.db,
      messages.map((message) => reportOf(message, 'delivered')),
    );
    const hourAgo = new Date(Date.now() - 3_600_000);
    const counts = await Promise.all(
      [{ provider: 'sandbox' }, { provider: 'twilio' }, { messageId: messages[0].id }, { since: hourAgo }, { until: hourAgo }].map(
        async (filter) => (await replayReports(test.db, key, filter, null)).reports,
      ),
    );
    assert.deepEqual(counts, [2, 0, 1, 2, 0]);
  });

  it('a replay reads only the reports that are asked for, of however many there are', async () => {
    const message = await buildSent(test.db, test.workspaceId);
    const stranger = { id: uuidv7(), provider_message_id: 'p-unknown' };
    await recordReports(test.db, [reportOf(message, 'delivered'), reportOf(stranger, 'delivered')]);
    await applyReports(test.db, message.group_id);
    const old = Array.from({ length: 5_000 }, (_, index) => uuidv7({ msecs: Date.now() - 86_400_000 + index }));
    await rows(
      test.db,
      `INSERT INTO delivery_reports (id, provider, provider_message_id, status, message_id, group_id, occurred_at, received_at, applied_at, outcome, raw)
       SELECT id, 'sandbox', 'old-' || id, 'sent', id, id, now(), now() - interval '1 day', now(), 'ignored', '{}' FROM unnest($1::uuid[]) AS id`,
      [old],
    );
    await rows(test.db, 'VACUUM ANALYZE delivery_reports');
    const [hourAgo, longAgo] = [3_600_000, 2 * 86_400_000].map((ms) => new Date(Date.now() - ms));
    for (const [filter, reports] of [
      [{ since: hourAgo }, 2],
      [{ until: longAgo }, 0],
      [{ messageId: message.id }, 1],
      [{ unmatched: true }, 1],
    ] as const) {
      const before = await reportsRead();
      assert.equal((await replayReports(test.db, key, filter, null)).reports, reports);
      const read = (await reportsRead()) - before;
      assert.ok(read < 50, `${read} reports were read: ${JSON.stringify(filter)}`);
    }
  });

  const reportsRead = async () => {
    await rows(test.db, 'SELECT pg_stat_force_next_flush()');
    const sql = `SELECT idx_tup_fetch + seq_tup_read AS count FROM pg_stat_user_tables WHERE relname = 'delivery_reports'`;
    const [read] = await rows<{ count: number }>(test.db, sql);
    return read?.count ?? 0;
  };

  it('a replay adds no suppression for an old bounce', async () => {
    const message = await buildSent(test.db, test.workspaceId, { channel: 'email', to: 'gone@example.org' });
    await recordReports(test.db, [reportOf(message, 'failed', { error_code: '30008', is_permanent: true })]);
    await applyReports(test.db, message.group_id);
    const listed = () => rows(test.db, 'DELETE FROM suppressions WHERE workspace_id = $1 RETURNING id', [test.workspaceId]);
    assert.equal((await listed()).length, 1);
    await replay();
    assert.equal((await listed()).length, 0);
  });
});
