import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { recoverDatabase } from '../../../api/recovery/recover-database.js';
import { testConfig } from '../../support/config.js';
import { rows } from '../../support/database.js';
import { workspaceForEach } from '../../support/for-each.js';
import { entriesRead } from '../../support/rows/entries-read.js';

const groups = 2_000;

describe('a recovery with many open groups', () => {
  const test = workspaceForEach({ poolMax: 1 });

  it('each open group is read a few times, however many there are', async () => {
    await rows(
      test.db,
      `INSERT INTO message_groups (id, workflow_id) SELECT id, 'msg:' || id FROM (SELECT uuidv7() FROM generate_series(1, $1)) AS g (id)`,
      [groups],
    );
    await rows(test.db, 'VACUUM ANALYZE message_groups');
    const now = new Date();
    const recovery = { id: uuidv7(), as_of: now, stopped_at: now, began_at: now, marked_at: null };
    const read = await entriesRead(test.db, 'message_groups', () =>
      recoverDatabase({ db: test.db, config: testConfig(), recovery, waitSeconds: 600, dryRun: true }),
    );
    assert.ok(read < 10 * groups, `${read} groups were read`);
  });
});
