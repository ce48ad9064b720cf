import { type Database, select } from '../../db/database.js';
import { inPages } from '../../db/in-pages.js';

/**
 * The state of a message that a recovery changed. `uncertain`: `waiting` (still open), `reconciled` (its provider answered), `reported`
 * (a delivery report proved the hand-off), `refunded`. `awaiting_report`: `waiting`, `reported`, `unreported` (its time is over).
 * `fallback`: `closed`. `gone`: the message was deleted.
 */
export type RecoveryState = 'waiting' | 'reconciled' | 'reported' | 'refunded' | 'unreported' | 'closed' | 'gone';

export interface RecoveryOutcome {
  kind: 'uncertain' | 'awaiting_report' | 'fallback';
  message_id: string;
  state: RecoveryState;
}

const page = 5_000;

/** Every message that a recovery changed, by kind and id, with its current state. Read in pages. */
export const recoveryOutcomes = (db: Database, recoveryId: string): AsyncGenerator<RecoveryOutcome, void, undefined> =>
  inPages(page, (last) => select<RecoveryOutcome>(db, outcomes, [recoveryId, last?.kind ?? '', last?.message_id ?? null, page]));

const outcomes = `
  SELECT r.kind, r.message_id, CASE
    WHEN m.id IS NULL THEN 'gone'
    WHEN r.kind = 'fallback' THEN 'closed'
    WHEN m.status = 'queued' OR r.kind = 'awaiting_report' AND m.status = 'sent' AND m.status_detail = 'awaiting_report' THEN 'waiting'
    WHEN r.kind = 'awaiting_report' THEN CASE WHEN m.status = 'sent' THEN 'unreported' ELSE 'reported' END
    WHEN m.status = 'failed' AND m.sent_at IS NULL THEN 'refunded'
    WHEN EXISTS (SELECT 1 FROM send_attempts a WHERE a.message_id = m.id AND a.outcome = 'accepted') THEN 'reconciled'
    ELSE 'reported' END AS state
  FROM (
    SELECT kind, message_id FROM recovery_messages
    WHERE recovery_id = $1 AND (kind > $2 OR kind = $2 AND message_id > $3::uuid) ORDER BY kind, message_id LIMIT $4
  ) r LEFT JOIN messages m ON m.id = r.message_id ORDER BY r.kind, r.message_id`;
