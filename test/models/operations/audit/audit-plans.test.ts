import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { auditEventsAfter, listAuditEvents } from '../../../../models/operations/audit/list-audit-events.js';
import { lowestId } from '../../../../models/rules/values/id-time.js';
import { rows } from '../../../support/database.js';
import { useDatabase } from '../../../support/for-each.js';
import { buildWorkspace } from '../../../support/rows/factories.js';
import { entriesRead } from '../../../support/rows/entries-read.js';

const stored = 2_000;
/** Far more than a day has, far less than all days have. */
const readMax = 200;
const hour = 3_600_000;

/** One event each hour, the newest an hour ago. */
const hourly = `
  INSERT INTO audit_events (id, workspace_id, type, at, actor_type)
  SELECT gen_random_uuid(), $1, 'auth.login', $3::timestamptz - n * interval '1 hour', 'user' FROM generate_series(1, $2::integer) n`;

/** Twenty events in each of thirty workspaces, one of which is given. */
const inOthers = `
  INSERT INTO audit_events (id, workspace_id, type, at, actor_type)
  SELECT gen_random_uuid(), w.id, 'auth.login', $1::timestamptz - n * interval '90 hours', 'user'
  FROM (SELECT CASE k WHEN 1 THEN $2::uuid ELSE gen_random_uuid() END AS id FROM generate_series(1, 30) k) w, generate_series(1, 20) n`;

describe('the list of audit events', () => {
  const test = useDatabase({ poolMax: 1 });
  let workspaceId: string;
  const now = new Date();
  const ago = (hours: number) => new Date(now.getTime() - hours * hour);
  const smallId = randomUUID();
  before(async () => {
    workspaceId = (await buildWorkspace(test.db)).id;
    await rows(test.db, hourly, [workspaceId, stored, now]);
    await rows(test.db, inOthers, [now, smallId]);
    await rows(test.db, 'ANALYZE audit_events');
  });

  const period = { from: ago(523), to: ago(500) };
  for (const [by, window, count] of [
    ['page', { page: 1, limit: 10 }, 10],
    ['cursor', { after: [String(ago(509.5).getTime() * 1000), lowestId], limit: 50 }, 14],
  ] as const)
    it(`a period of a day is read without the events outside it, by ${by}`, async () => {
      const read = await entriesRead(test.db, 'audit_events', async () => {
        assert.equal((await listAuditEvents(test.db, workspaceId, period, window)).rows.length, count);
      });
      assert.ok(read < readMax, `${read} index entries`);
    });

  for (const [bounds, total] of [
    [{ from: ago(10) }, 10],
    [{ to: ago(stored - 4) }, 5],
    [{ from: ago(7), to: ago(7) }, 1],
    [{}, stored],
  ] as const)
    it(`the ends of a period are included: ${total} events of ${stored}`, async () => {
      assert.equal((await listAuditEvents(test.db, workspaceId, bounds, { page: 1, limit: 3 })).total, total);
    });

  it('an export reads no events of other workspaces', async () => {
    const read = await entriesRead(test.db, 'audit_events', async () => {
      const found = await auditEventsAfter(test.db, smallId, { after: null, until: now, limit: 200 });
      assert.equal(found.length, 20);
    });
    assert.ok(read < readMax, `${read} index entries`);
  });

  it('a page after a cursor does not read all older events', async () => {
    const read = await entriesRead(test.db, 'audit_events', async () => {
      const after = [String(ago(100.5).getTime() * 1000), lowestId];
      assert.equal((await listAuditEvents(test.db, workspaceId, {}, { after, limit: 10 })).rows.length, 10);
    });
    assert.ok(read < readMax, `${read} index entries`);
  });
});
