import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { inTransaction, select } from '../../../models/db/database.js';
import { apiMetrics } from '../../../models/metrics/catalogue.js';
import { recordReports } from '../../support/rows/reports.js';
import { untilLockWait } from '../../support/lock-table.js';
import { buildWorkspace } from '../../support/rows/factories.js';
import { buildSent, reportOf } from '../../support/rows/messages.js';
import { rows } from '../../support/database.js';
import { addedTo } from '../../support/measure/counted.js';
import { useApi } from '../use-api.js';

describe('the inbox of reports', () => {
  const app = useApi();

  it('the inbox of reports stores reports together, and only an invalid one fails', async () => {
    const good = Array.from({ length: 20 }, () => reportOf({ id: uuidv7(), provider_message_id: uuidv7() }, 'delivered'));
    const bad = { ...reportOf({ id: uuidv7(), provider_message_id: uuidv7() }, 'delivered'), occurred_at: new Date(Number.NaN) };
    const stored = await Promise.allSettled(
      [...good.slice(0, 10), bad, ...good.slice(10)].map((report) => app.deps.reportInbox.store([report])),
    );
    assert.deepEqual(
      stored.flatMap(({ status }, at) => (status === 'rejected' ? [at] : [])),
      [10],
    );
    assert.equal((await rows(app.deps.db, 'SELECT 1 FROM delivery_reports')).length, 20);
  });

  it('the metric of reports counts what a carrier sent, and not the answers to queries', async () => {
    const { db, reportInbox } = app.deps;
    const report = reportOf({ id: uuidv7(), provider_message_id: uuidv7() }, 'delivered', { provider: 'counted' });
    const taken = { ...report, status: 'sent' as const, isOnlyTaken: true as const };
    const added = await addedTo(apiMetrics.reports, async () => {
      await reportInbox.store([report, taken]);
      await reportInbox.store([report]);
      await recordReports(db, [{ ...report, status: 'sent' }]);
    });
    assert.deepEqual(added, { 'counted delivered': 2 });
  });

  it('the inbox of reports stores a report while an earlier one waits for the lock of its group', async () => {
    const { db, reportInbox } = app.deps;
    const { id: workspaceId } = await buildWorkspace(db);
    const [one, other] = [await buildSent(db, workspaceId), await buildSent(db, workspaceId)];
    let isOver = false;
    let waiting: Promise<unknown> = Promise.resolve();
    await inTransaction(db, async (transaction) => {
      await select(db, 'SELECT 1 AS one FROM message_groups WHERE id = $1 FOR UPDATE', [one.group_id], transaction);
      waiting = reportInbox.store([reportOf(one, 'delivered')]).finally(() => (isOver = true));
      await untilLockWait(db, 'the first report waits');
      await reportInbox.store([reportOf(other, 'delivered')]);
      assert.equal(isOver, false, 'the group is locked');
    });
    await waiting;
  });

  it('reports that the database cannot store now are refused together, without a statement for each', async () => {
    const { db } = app.deps;
    // A sequence also counts statements that are rolled back. 57014: a statement took too long.
    await rows(
      db,
      `CREATE SEQUENCE tries;
       CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$
         BEGIN PERFORM nextval('tries'); RAISE 'too slow' USING ERRCODE = '57014'; END $$;
       CREATE TRIGGER refuse BEFORE INSERT ON delivery_reports FOR EACH STATEMENT EXECUTE FUNCTION refuse()`,
    );
    try {
      const reports = Array.from({ length: 20 }, () => reportOf({ id: uuidv7(), provider_message_id: uuidv7() }, 'delivered'));
      const stored = await Promise.allSettled(reports.map((report) => app.deps.reportInbox.store([report])));
      assert.ok(stored.every(({ status }) => status === 'rejected'));
      // The first callback is stored by itself, the others together.
      assert.deepEqual(await rows(db, 'SELECT last_value::int AS tries FROM tries'), [{ tries: 2 }]);
    } finally {
      await rows(db, 'DROP TRIGGER refuse ON delivery_reports; DROP FUNCTION refuse(); DROP SEQUENCE tries');
    }
  });
});
