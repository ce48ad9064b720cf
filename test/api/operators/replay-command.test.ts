import assert from 'node:assert/strict';
import { recordReports } from '../../../models/operations/reports/record-reports.js';
import { workspaceForEach } from '../../support/for-each.js';
import { freePort } from '../../support/network/free-port.js';
import { buildSent, reportOf, statusOf } from '../../support/rows/messages.js';
import { runAdmin } from '../../support/run-admin.js';

describe('replay-reports while Temporal does not answer', () => {
  const test = workspaceForEach();

  it('fails each time, with the number of reports that wait', async () => {
    const message = await buildSent(test.db, test.workspaceId);
    await recordReports(test.db, [reportOf(message, 'delivered'), reportOf(message, 'failed')]);
    const replay = async (...args: string[]) => {
      const env = { TEMPORAL_ADDRESS: `127.0.0.1:${await freePort()}` };
      return runAdmin(test.db, env, 'replay-reports', '--message', message.id, ...args);
    };
    const text =
      'Applied 0 reports again, 0 of them without a matching message. Waiting for Temporal: 2 reports, which the watcher applies when it answers.\n';
    assert.deepEqual(await replay(), { code: 1, out: '', err: text });
    const { code, out } = await replay('--json');
    assert.deepEqual([code, JSON.parse(out)], [1, { reports: 2, unmatched: 0, waiting: 2 }]);
    assert.equal(await statusOf(test.db, message.id), 'sent/awaiting_report');
  });
});
