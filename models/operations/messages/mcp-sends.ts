/** The daily limit of sends by MCP: an assistant that errs must not empty the balance of a workspace. */
import { mcpSendsReached } from '../../conflicts.js';
import { type Database, select } from '../../db/database.js';
import { countedDay, today } from '../billing/standing.js';

const day = countedDay('m.day');

const takeOne = `
  INSERT INTO mcp_sends AS m (workspace_id, day, count)
  SELECT $1, ${today}, 1 WHERE $2 > 0
  ON CONFLICT (workspace_id) DO UPDATE
    SET day = ${day}, count = CASE WHEN m.day = ${day} THEN m.count + 1 ELSE 1 END
    WHERE m.day <> ${day} OR m.count < $2
  RETURNING count`;

/**
 * Counts one send of the workspace on this day, UTC, in one statement: concurrent sends cannot exceed the limit.
 * @param max sends on a day
 * @throws AppError limit_reached when that many were counted
 */
export async function takeMcpSend(db: Database, workspaceId: string, max: number): Promise<void> {
  const [row] = await select<{ count: number }>(db, takeOne, [workspaceId, max]);
  if (row === undefined) throw mcpSendsReached(max);
}

/** Undoes the counting of a send that was refused, or that was a repetition. */
export async function giveBackMcpSend(db: Database, workspaceId: string): Promise<void> {
  const sql = `UPDATE mcp_sends SET count = count - 1 WHERE workspace_id = $1 AND day = ${today} AND count > 0 RETURNING 1`;
  await select(db, sql, [workspaceId]);
}
