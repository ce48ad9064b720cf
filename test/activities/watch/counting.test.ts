import assert from 'node:assert/strict';
import { countingActivities } from '../../../activities/watch/counting.js';
import { rows } from '../../support/database.js';
import { useDatabase } from '../../support/for-each.js';
import { buildWorkspace } from '../../support/rows/factories.js';

describe('the watcher’s sums of messages', () => {
  const test = useDatabase();

  it('old sums by hour are searched for once an hour', async () => {
    const { id } = await buildWorkspace(test.db);
    const addOld = () =>
      rows(
        test.db,
        `INSERT INTO message_rollups (workspace_id, unit, at, channel, measure, key, count)
         VALUES ($1, 'hour', now() - interval '36 days', 'sms', 'messages', '', 1)`,
        [id],
      );
    const stored = async () => (await rows(test.db, 'SELECT 1 FROM message_rollups')).length;
    let nowMs = Date.parse('2030-01-01T10:59:00Z');
    const { countMessages } = countingActivities({ db: test.db }, () => nowMs);
    await addOld();
    await countMessages();
    assert.equal(await stored(), 0);
    await addOld();
    await countMessages();
    assert.equal(await stored(), 1);
    nowMs += 60_000;
    await countMessages();
    assert.equal(await stored(), 0);
  });
});
