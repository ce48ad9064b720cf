import assert from 'node:assert/strict';
import { recordReports } from '../../../../models/operations/reports/record-reports.js';
import { applyReports } from '../../../../models/operations/reports/apply-reports.js';
import { readTimeline } from '../../../../models/operations/messages/read-timeline.js';
import { rows } from '../../../support/database.js';
import { workspaceForEach } from '../../../support/for-each.js';
import { entriesRead } from '../../../support/rows/entries-read.js';
import { buildSent, reportOf } from '../../../support/rows/messages.js';

const others = 5_000;

describe('the timeline of one message among many', () => {
  const test = workspaceForEach({ poolMax: 1 });

  it('only its own reports are read, applied or waiting', async () => {
    const message = await buildSent(test.db, test.workspaceId);
    await recordReports(test.db, [reportOf(message, 'sent')]);
    await applyReports(test.db, message.group_id);
    await recordReports(test.db, [reportOf(message, 'delivered')]);
    await rows(
      test.db,
      `INSERT INTO delivery_reports (id, provider, provider_message_id, status, message_id, group_id, occurred_at, applied_at, outcome, raw)
       SELECT id, 'sandbox', 'of ' || id, 'sent', id, id, now(), now(), 'ignored', '{}' FROM (SELECT uuidv7() FROM generate_series(1, $1)) AS r (id)`,
      [others],
    );
    await rows(test.db, 'VACUUM ANALYZE delivery_reports');
    const read = await entriesRead(test.db, 'delivery_reports', async () => {
      const { reports } = await readTimeline(test.db, test.workspaceId, message.id);
      assert.deepEqual(
        reports.map(({ status, applied_at }) => [status, applied_at !== null]),
        [
          ['sent', true],
          ['delivered', false],
        ],
      );
    });
    assert.ok(read < 50, `${read} reports were read`);
  });
});
