import assert from 'node:assert/strict';
import { replayAll } from '../../../api/admin/commands/messages/replay-reports.js';
import { rows } from '../../support/database.js';
import { workspaceForEach } from '../../support/for-each.js';
import { freePort } from '../../support/network/free-port.js';
import { buildSent, reportOf, statusOf } from '../../support/rows/messages.js';
import { applyReports, recordReports, testKey } from '../../support/rows/reports.js';
import { runAdmin } from '../../support/run-admin.js';

describe('replay-reports of many groups', () => {
  const test = workspaceForEach();
  beforeEach(() => rows(test.db, 'DELETE FROM delivery_reports'));
  const tested = async () => ({ db: test.db, key: await testKey(test.db) });

  it('replay-reports waits until a page is applied before it wakes the next one', async () => {
    const reports = [];
    for (let count = 0; count < 60; count += 1) reports.push(reportOf(await buildSent(test.db, test.workspaceId), 'delivered'));
    await recordReports(test.db, reports);
    const running = new Set<Promise<unknown>>();
    let most = 0;
    const wake = async ({ groupId }: { groupId: string }) => {
      const applied = applyReports(test.db, groupId);
      running.add(applied);
      most = Math.max(most, running.size);
      void applied.finally(() => running.delete(applied));
    };
    const sum = await replayAll(await tested(), {}, wake, 60_000);
    assert.deepEqual([sum, most], [{ reports: 60, unmatched: 0, waiting: 0 }, 50]);
  });

  for (const filter of [{}, { until: new Date('2999-01-01T00:00:00Z') }]) {
    it(`replay-reports ${JSON.stringify(filter)} leaves out reports that arrive meanwhile`, async () => {
      const late = await buildSent(test.db, test.workspaceId);
      const reports = [];
      for (let count = 0; count < 50; count += 1) reports.push(reportOf(await buildSent(test.db, test.workspaceId), 'delivered'));
      await recordReports(test.db, reports);
      const sum = await replayAll(await tested(), filter, async ({ groupId }) => {
        await recordReports(test.db, [reportOf(late, 'delivered')]);
        await applyReports(test.db, groupId);
      });
      assert.deepEqual(sum, { reports: 50, unmatched: 0, waiting: 0 });
    });
  }

  it('replay-reports counts the reports that no worker applies in time', async () => {
    const message = await buildSent(test.db, test.workspaceId);
    await recordReports(test.db, [reportOf(message, 'delivered'), reportOf(message, 'failed')]);
    const sum = await replayAll(await tested(), { messageId: message.id }, async () => undefined, 0);
    assert.deepEqual(sum, { reports: 2, unmatched: 0, waiting: 2 });
  });
});

describe('replay-reports while Temporal does not answer', () => {
  const test = workspaceForEach();

  it('replay-reports fails each time while Temporal does not answer, with the number of reports that wait', async () => {
    const message = await buildSent(test.db, test.workspaceId);
    await recordReports(test.db, [reportOf(message, 'delivered'), reportOf(message, 'failed')]);
    const replay = async (...args: string[]) => {
      const env = { TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}` };
      return runAdmin({ db: test.db, env }, 'replay-reports', '--message', message.id, ...args);
    };
    const text =
      'Applied 0 reports again, 0 of them without a matching message. Waiting for Temporal or workers: 2 reports, which the watcher applies when they answer.\n';
    assert.deepEqual(await replay(), { code: 1, out: '', err: text });
    const { code, out } = await replay('--json');
    assert.deepEqual([code, JSON.parse(out)], [1, { reports: 2, unmatched: 0, waiting: 2 }]);
    assert.equal(await statusOf(test.db, message.id), 'sent/awaiting_report');
  });
});
