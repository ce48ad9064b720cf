import { makeId } from '../../rules/values/make-id.js';
import type { Config } from '../../settings/config.js';
import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import { codeRequired, wrongCode, wrongPassword } from '../../errors.js';
import { ifPasswordFits } from '../../passwords.js';
import { digestOfEmail } from '../../rules/accounts/login-digest.js';
import { actingAs, anonymous, type Origin } from '../../rules/audit/origin.js';
import { Workspace } from '../../tables/workspace.js';
import { forgetTries, freeTries, takeTry, type Try } from './login-tries.js';
import { useCode } from './use-code.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { hasReachedMailLimit } from '../mails/issue-mail.js';

export interface LoginDeps {
  db: Database;
  config: Pick<Config, 'secretKey' | 'secretKeys'>;
  /** Called for every mail that was put into the outbox. */
  onMail(mailId: string): void;
}

export interface Login {
  email: string;
  password: string;
  code?: string | undefined;
  /** Hash of the client's network. */
  client: Buffer;
}

/**
 * The workspace with this address and password, and with a verification code if a second factor is in force.
 * @throws AppError unauthorized after the same time whether the address is unknown or the password wrong; code_required if a second factor
 *   is in force and no code was given; rate_limited while the address is locked; unavailable if too many log in at the same time
 */
export async function logIn(deps: LoginDeps, login: Login, origin: Origin): Promise<Workspace> {
  const { db, config } = deps;
  const attempt = await takeTry(db, config.secretKey, login.email, login.client);
  let known: Workspace | null = null;
  const lookUp = async () => {
    known = await Workspace.byEmail(login.email);
    return known;
  };
  const workspace = await ifPasswordFits(lookUp, login.password, login.email.toLowerCase());
  if (workspace === null) {
    if (known !== null) await noteFailure(deps, known, attempt, origin);
    throw wrongPassword();
  }
  if (workspace.totp_confirmed_at !== null && (login.code ?? '') === '') throw codeRequired();
  const isLoggedIn = await inTransaction(db, async (transaction) => {
    if (workspace.totp_confirmed_at !== null && !(await useCode(db, transaction, config.secretKeys, workspace.id, login.code ?? '')))
      return false;
    await noteLogin(deps, transaction, workspace, { ...login, attempt }, origin);
    return true;
  });
  if (isLoggedIn) return workspace;
  await noteFailure(deps, workspace, attempt, origin);
  throw wrongCode();
}

async function noteLogin(
  { db, config, onMail }: LoginDeps,
  transaction: Transaction,
  workspace: Workspace,
  { email, client, attempt }: Login & { attempt: Try },
  origin: Origin,
): Promise<void> {
  const { id: workspaceId, name } = workspace;
  await forgetTries(db, [attempt.digest, digestOfEmail(config.secretKey, email)], transaction);
  const target = { type: 'workspace', id: workspaceId, name };
  await recordAuditEvent(db, transaction, actingAs(origin, workspace), { workspaceId, type: 'auth.login', target });
  const [seen] = await select<{ is_new: boolean }>(db, noteAddress, [workspaceId, client], transaction);
  if (seen?.is_new !== true || (await hasReachedMailLimit(db, transaction, workspaceId, 'new_login'))) return;
  const mailId = makeId();
  const detail = JSON.stringify({ address: origin.address, at: new Date() });
  await select(db, enqueueMail, [mailId, workspaceId, 'new_login', detail], transaction);
  transaction.afterCommit(() => onMail(mailId));
}

/** Records the failed attempt in the audit log. Notifies the owner by mail when the address is locked for the first time. */
async function noteFailure({ db, onMail }: LoginDeps, workspace: Workspace, attempt: Try, origin: Origin): Promise<void> {
  const { id: workspaceId, name } = workspace;
  const target = { type: 'workspace', id: workspaceId, name };
  const changes = { tries: attempt.number, locked_seconds: attempt.pauseSeconds };
  await inTransaction(db, async (transaction) => {
    const stranger = { ...origin, actor: anonymous };
    await recordAuditEvent(db, transaction, stranger, { workspaceId, type: 'auth.login_failed', target, changes });
    if (attempt.number !== freeTries) return;
    const mailId = makeId();
    const enqueued = await select(db, enqueueLockoutMail, [mailId, workspaceId, JSON.stringify({ address: origin.address })], transaction);
    if (enqueued.length > 0) transaction.afterCommit(() => onMail(mailId));
  });
}

/** The first known address is the one from which the account was made. It causes no notice. */
const noteAddress = `
  WITH known AS (SELECT bool_or(digest = $2) AS is_known FROM login_addresses WHERE workspace_id = $1),
    noted AS (
      INSERT INTO login_addresses (workspace_id, digest, last_at) VALUES ($1, $2, now())
      ON CONFLICT (workspace_id, digest) DO UPDATE SET last_at = now()
    )
  SELECT is_known IS FALSE AS is_new FROM known`;

const enqueueMail = 'INSERT INTO mails (id, workspace_id, kind, detail) VALUES ($1, $2, $3, $4)';
/** At most one notice: repeated attempts must not flood the mailbox. */
const enqueueLockoutMail = `
  INSERT INTO mails (id, workspace_id, kind, detail)
  SELECT $1::uuid, $2::uuid, 'login_locked', $3::json
  WHERE NOT EXISTS (SELECT 1 FROM mails WHERE workspace_id = $2 AND kind = 'login_locked' AND created_at > now() - interval '1 day')
  RETURNING id`;
