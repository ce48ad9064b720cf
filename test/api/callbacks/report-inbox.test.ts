import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { reportOf } from '../../support/rows/messages.js';
import { rows } from '../../support/database.js';
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
});
