/** The piece of the audit that counts messages, workspace by workspace. */
import { type Database, select, selectIds, timeAgo } from '../../db/database.js';
import { idBefore, lowestId } from '../../rules/values/id-time.js';
import type { AuditPiece } from './audit-piece.js';

/** The progress inside a workspace. The next workspace begins after its last message. */
interface Walk {
  workspace: string;
  /** The id of the last message that was counted. */
  after: string;
  /** The number of messages up to that one. */
  sum: number;
  isOver: boolean;
}

const atOnce = 10_000;
const hourMs = 3_600_000;

/** Verifies that every workspace has as many messages as its row says. */
export const auditCounts: AuditPiece = async (db, place) => {
  const walk = place as Walk | null;
  const from = walk === null || walk.isOver ? await beginCount(db, walk?.workspace ?? lowestId) : walk;
  if (from === null) return null;
  // Younger messages may be undecided. They are counted in the same statement as the stored number is read.
  const [piece] = await select<{ count: number; shown: number; last: string | null }>(db, messages, [
    from.workspace,
    from.after,
    idBefore(await timeAgo(db, hourMs)),
    atOnce,
  ]);
  const { count = 0, shown = 0, last = null } = piece ?? {};
  const reached = { ...from, after: last ?? from.after, sum: from.sum + shown, isOver: count < atOnce };
  const rows = reached.isOver ? await select(db, messageCount, [reached.workspace, reached.after, reached.sum]) : [];
  return { differences: rows.map((row) => ({ what: 'message count', id: from.workspace, detail: row })), place: reached };
};

/** @returns null after the last workspace */
async function beginCount(db: Database, lastWorkspace: string): Promise<Walk | null> {
  const [next] = await selectIds(db, nextWorkspace, [lastWorkspace]);
  return next === undefined ? null : { workspace: next, after: lowestId, sum: 0, isOver: false };
}

const nextWorkspace = 'SELECT id FROM workspaces WHERE id > $1::uuid ORDER BY id LIMIT 1';

const messages = `
  WITH piece AS (
    SELECT id, status FROM messages WHERE workspace_id = $1 AND id > $2::uuid AND id < $3::uuid ORDER BY id LIMIT $4
  )
  SELECT count(*) AS count, count(*) FILTER (WHERE status <> 'accepting') AS shown, (SELECT id FROM piece ORDER BY id DESC LIMIT 1) AS last FROM piece`;

const messageCount = `
  SELECT w.message_count, $3::bigint + rest.count AS shown FROM workspaces w CROSS JOIN LATERAL (
    SELECT count(*) AS count FROM messages m WHERE m.workspace_id = w.id AND m.id > $2::uuid AND m.status <> 'accepting'
  ) rest
  WHERE w.id = $1 AND w.message_count <> $3::bigint + rest.count`;
