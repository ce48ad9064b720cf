import assert from 'node:assert/strict';
import { v7 as uuidv7 } from 'uuid';
import { forEachChannel } from '../../../../models/channels.js';
import { forgetUnmatched } from '../../../../models/operations/reports/forget-unmatched.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { entriesRead } from '../../../support/rows/entries-read.js';
import { buildWorkspace } from '../../../support/rows/factories.js';
import { buildSent } from '../../../support/rows/messages.js';
import { withClock } from '../../../support/shift-clock.js';

describe('forgetUnmatched', () => {
  const test = useDatabase({ poolMax: 1, forEachTest: true });
  const dayMs = 86_400_000;
  const timeouts = { ...forEachChannel(() => 86_400), sms: 3 * 86_400 };

  /** Stores reports of these ages. */
  const store = async (days: readonly number[], ofMessage: { id: string; group_id: string } | null = null, isApplied = false) => {
    const ids = days.map((age) => uuidv7({ msecs: Date.now() - age * dayMs }));
    await rows(
      test.db,
      `INSERT INTO delivery_reports (id, provider, provider_message_id, status, message_id, group_id, occurred_at, applied_at, raw)
       SELECT id, 'twilio', 'of ' || id, 'delivered', $2, $3, now(), CASE WHEN $4 THEN now() END, '+15551234567' FROM unnest($1::uuid[]) AS id`,
      [ids, ofMessage?.id ?? null, ofMessage?.group_id ?? null, isApplied],
    );
    return ids;
  };
  const stored = async () => (await rows<{ id: string }>(test.db, 'SELECT id FROM delivery_reports ORDER BY id')).map(({ id }) => id);
  const forget = (forMs = 10_000) => forgetUnmatched(test.db, timeouts, Date.now() + forMs);

  it('reports that match no message are deleted after the longest timeout and 30 days, and no others', async () => {
    const message = await buildSent(test.db, (await buildWorkspace(test.db)).id);
    const kept = [
      ...(await store([34], message)),
      ...(await store([35], message, true)),
      ...(await store([36], null, true)), // of the time before reports had groups
      ...(await store([32, 1])),
    ];
    await store([400, 34]);
    assert.equal(await forget(), 2);
    assert.deepEqual(await stored(), kept.toSorted());
    assert.equal(await forget(), 0);
  });

  it('no younger report is deleted by a worker whose clock is far ahead', async () => {
    const kept = await store([32]);
    assert.equal(await withClock(10 * dayMs, forget), 0);
    assert.deepEqual(await stored(), kept);
  });

  it('the deletion of unmatched reports continues after its last page, and reads each report once', async () => {
    await store(Array.from({ length: 1_500 }, (_, at) => 100 - at / 1_000));
    await store([33.5]);
    assert.equal(await forget(0), 0);
    assert.equal(await forget(), 1_501);
    assert.deepEqual(await stored(), []);
    await store([90]);
    assert.equal(await forget(), 0, 'the place is behind it');
  });

  it('the deletion of unmatched reports reads only the reports of its pages', async () => {
    const storeMany = (count: number, days: number, isMatched: boolean) =>
      rows(
        test.db,
        `INSERT INTO delivery_reports (id, provider, provider_message_id, status, message_id, group_id, occurred_at, applied_at, raw)
         SELECT id, 'twilio', 'of ' || id, 'delivered', CASE WHEN $3 THEN id END, CASE WHEN $3 THEN id END, now(), CASE WHEN $3 THEN now() END, ''
         FROM (SELECT uuidv7($2::float * interval '-1 day') FROM generate_series(1, $1::integer)) AS r (id)`,
        [count, days, isMatched],
      );
    await storeMany(3_000, 40, true);
    await storeMany(40_000, 1, true);
    await storeMany(8_000, 1, false);
    await store([36]);
    await rows(test.db, 'VACUUM ANALYZE delivery_reports');
    const read = await entriesRead(test.db, 'delivery_reports', async () => assert.equal(await forget(), 1));
    assert.ok(read < 10_000, `${read} reports were read`);
  });
});
