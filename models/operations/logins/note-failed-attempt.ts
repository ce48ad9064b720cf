import { makeId } from '../../rules/values/make-id.js';
import type { Config } from '../../settings/config.js';
import { afterCommit, type Database, inTransaction, select } from '../../db/database.js';
import { anonymous, type Origin, withoutCredential } from '../../rules/audit/origin.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { freeAttempts, type LoginAttempt } from './login-attempts.js';

/** The dependencies of an operation that verifies passwords or codes. */
export interface LoginAttemptDeps {
  db: Database;
  config: Pick<Config, 'secretKeys'>;
  /** Called for every mail that was put into the outbox. */
  onMail(mailId: string): void;
}

export interface FailedAttempt {
  workspace: { id: string; name: string };
  attempt: LoginAttempt;
  /** What was wrong, unless it was the password of a login. */
  reason?: 'code_required' | 'wrong_code' | 'wrong_current_password' | 'wrong_removal_code';
}

/**
 * Records the failed attempt in the audit log. Notifies the owner by mail while attempts are blocked, at most once a day. The actor is
 * nobody, also with a JWT: it is in doubt whether the owner has made the attempt.
 */
export async function noteFailedAttempt(
  { db, onMail }: LoginAttemptDeps,
  { workspace, attempt, reason }: FailedAttempt,
  origin: Origin,
): Promise<void> {
  const { id: workspaceId, name } = workspace;
  const target = { type: 'workspace', id: workspaceId, name } as const;
  const changes = { tries: attempt.number, locked_seconds: attempt.pauseSeconds, ...(reason === undefined ? {} : { reason }) };
  await inTransaction(db, async (transaction) => {
    const stranger = { ...withoutCredential(origin), actor: anonymous };
    await recordAuditEvent(db, transaction, stranger, { workspaceId, type: 'auth.login_failed', target, changes });
    if (attempt.number < freeAttempts) return;
    const mailId = makeId();
    const enqueued = await select(db, enqueueLockoutMail, [mailId, workspaceId, JSON.stringify({ address: origin.address })], transaction);
    if (enqueued.length > 0) afterCommit(transaction, () => onMail(mailId));
  });
}

/** At most one notice: repeated attempts must not flood the mailbox. */
const enqueueLockoutMail = `
  INSERT INTO mails (id, workspace_id, kind, detail)
  SELECT $1::uuid, $2::uuid, 'login_locked', $3::json
  WHERE NOT EXISTS (SELECT 1 FROM mails WHERE workspace_id = $2 AND kind = 'login_locked' AND created_at > now() - interval '1 day')
  RETURNING id`;
