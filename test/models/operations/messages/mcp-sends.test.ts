import assert from 'node:assert/strict';
import { takeMcpSend } from '../../../../models/operations/messages/mcp-sends.js';
import { rows } from '../../../support/database.js';
import { workspaceForEach } from '../../../support/for-each.js';

describe('takeMcpSend', () => {
  const test = workspaceForEach();
  const inDays = (days: number) => `(now() AT TIME ZONE 'UTC')::date + ${days}`;
  const count = async () =>
    rows(test.db, `SELECT day - (${inDays(0)}) AS days, count FROM mcp_sends WHERE workspace_id = $1`, [test.workspaceId]);

  for (const [what, days, counted, expected] of [
    ['begins anew on a new day', -1, 3, { days: 0, count: 1 }],
    ['includes a send that began before midnight in the new day', 1, 2, { days: 1, count: 3 }],
    ['begins anew after a clock was wrong by days', 5, 3, { days: 1, count: 1 }],
  ] as const) {
    it(`the count of sends by MCP ${what}`, async () => {
      await rows(test.db, `INSERT INTO mcp_sends (workspace_id, day, count) VALUES ($1, ${inDays(days)}, $2)`, [test.workspaceId, counted]);
      await takeMcpSend(test.db, test.workspaceId, 3);
      assert.deepEqual(await count(), [expected]);
    });
  }

  it('a send that began before midnight is refused if the new day has none left', async () => {
    await rows(test.db, `INSERT INTO mcp_sends (workspace_id, day, count) VALUES ($1, ${inDays(1)}, 3)`, [test.workspaceId]);
    await assert.rejects(takeMcpSend(test.db, test.workspaceId, 3), { code: 'limit_reached' });
    assert.deepEqual(await count(), [{ days: 1, count: 3 }]);
  });
});
