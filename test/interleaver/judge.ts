/** What must hold after every schedule. */
import { AppError } from '../../models/errors.js';
import { type Database, select } from '../../models/db/database.js';
import { movesInto } from '../../models/rules/messages/status.js';
import { assertBooks } from '../../harness/checks/invariants.js';
import type { Facts } from './facts.js';

/** What is wrong with the rows, a line each, with the id of what it is about; none when all is well. */
export async function judge(db: Database, facts: Facts): Promise<string[]> {
  const found = await select<{ violation: string }>(db, findViolations, [
    [...legalMoves],
    facts.accepted,
    facts.fenced,
    JSON.stringify(facts.claims.map(({ id, attempt, uncertain }) => ({ id, attempt, uncertain }))),
    facts.wakes.filter(({ late }) => late).map(({ groupId }) => groupId),
    facts.ended,
  ]);
  const books = await assertBooks(db).then(
    () => [],
    (error: Error) => [error.message],
  );
  return [...found.map(({ violation }) => violation), ...books];
}

/** How an operation failed, unless it was refused by rule. Deadlocks and lock timeouts are among it. */
export const unrightful = (name: string, error: unknown): string[] => (isRightful(error) ? [] : [`${name} failed: ${describe(error)}`]);

const legalMoves = new Set([
  'accepting gone',
  ...Object.entries(movesInto).flatMap(([to, sources]) => sources.map((from) => `${from} ${to}`)),
]);

/** A refusal by rule, such as 409. Of two claims of the same message the primary key of the attempts refuses the second as a whole. */
const isRightful = (error: unknown): boolean =>
  error === undefined || error instanceof AppError || (codeOf(error) === '23505' && describe(error).includes('send_attempts_pkey'));

const codeOf = (error: unknown): string | undefined => (error as { parent?: { code?: string } }).parent?.code;

function describe(error: unknown): string {
  const { message, parent } = error as Error & { parent?: { code?: string; detail?: string; constraint?: string } };
  return [parent?.code, message, parent?.constraint, parent?.detail].filter((part) => part !== undefined).join(' · ');
}

const findViolations = `
  SELECT 'illegal move of ' || message_id || ': ' || "from" || ' → ' || "to" AS violation FROM status_moves
  WHERE "from" || ' ' || "to" <> ALL($1::text[]) AND "from" <> "to"
  UNION ALL SELECT 'balance below 0: ' || id FROM workspaces WHERE balance < 0
  UNION ALL SELECT 'spent more than the limit: ' || id FROM workspaces WHERE spent_today > spend_limit_day
  UNION ALL SELECT 'two events: ' || type || ' of ' || message_id FROM events GROUP BY message_id, type HAVING count(*) > 1
  UNION ALL SELECT 'no event: ' || s."to" || ' of ' || s.message_id FROM status_moves s JOIN webhooks w ON w.workspace_id = s.workspace_id
    WHERE s."to" IN ('sent', 'delivered', 'failed') AND s."from" <> s."to"
      AND NOT EXISTS (SELECT 1 FROM events e WHERE e.message_id = s.message_id AND e.type = 'message.' || s."to")
  UNION ALL SELECT 'event of what did not happen: ' || e.type || ' of ' || e.message_id FROM events e WHERE e.type <> 'message.queued'
      AND NOT EXISTS (SELECT 1 FROM status_moves s WHERE s.message_id = e.message_id AND e.type = 'message.' || s."to")
  UNION ALL SELECT 'accepted and lost: ' || told.id FROM unnest($2::uuid[]) AS told (id)
    WHERE NOT EXISTS (SELECT 1 FROM messages m WHERE m.id = told.id AND m.status <> 'accepting')
  UNION ALL SELECT 'fenced and charged: ' || told.id FROM unnest($3::uuid[]) AS told (id)
    WHERE EXISTS (SELECT 1 FROM credit_entries e WHERE e.reference = told.id::text) OR EXISTS (SELECT 1 FROM messages m WHERE m.id = told.id)
  UNION ALL SELECT 'failed before its hand-off and not refunded once: ' || m.id FROM messages m
    JOIN status_moves s ON s.message_id = m.id AND s."from" = 'queued' AND s."to" = 'failed'
    WHERE m.credits_used <> 0 OR m.batch_id IS NULL AND 1 <> (SELECT count(*) FROM credit_entries e WHERE e.kind = 'refund' AND e.reference = m.id::text)
  UNION ALL SELECT 'cancelled although it may have been handed off: ' || m.id FROM messages m JOIN send_attempts a ON a.message_id = m.id
    WHERE m.status_detail = 'cancelled' AND (a.outcome IS NULL OR a.outcome IN ('accepted', 'unknown'))
  UNION ALL SELECT 'said to be unreachable although it may have been handed off: ' || m.id FROM messages m JOIN send_attempts a ON a.message_id = m.id
    WHERE m.error_code = 'provider_unavailable' AND (a.outcome IS NULL OR a.outcome IN ('accepted', 'unknown'))
  UNION ALL SELECT 'claimed as new although it may have been handed off: ' || c.id
    FROM json_to_recordset($4::json) AS c (id uuid, attempt integer, uncertain boolean)
    JOIN send_attempts a ON a.message_id = c.id AND a.number < c.attempt
    WHERE NOT c.uncertain AND (a.outcome IS NULL OR a.outcome IN ('accepted', 'unknown'))
  UNION ALL SELECT 'nobody looks at the report ' || d.status || ' of ' || d.message_id FROM delivery_reports d JOIN message_groups g ON g.id = d.group_id
    WHERE d.applied_at IS NULL AND NOT (g.reports_pending AND (g.id <> ALL($6::uuid[]) OR g.id = ANY($5::uuid[])))
  UNION ALL SELECT 'a report does not find its message ' || m.id FROM delivery_reports d
    JOIN messages m ON m.provider = d.provider AND m.provider_message_id = d.provider_message_id WHERE d.group_id IS NULL
  UNION ALL SELECT 'closed with open work: ' || g.id FROM message_groups g WHERE g.closed_at IS NOT NULL AND EXISTS (
      SELECT 1 FROM messages m WHERE m.group_id = g.id AND (m.status IN ('accepting', 'queued') OR m.status = 'sent' AND m.status_detail = 'awaiting_report'))
  UNION ALL SELECT 'without a group: ' || m.id FROM messages m WHERE NOT EXISTS (SELECT 1 FROM message_groups g WHERE g.id = m.group_id)`;
