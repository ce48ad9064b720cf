import { v7 as uuidv7 } from 'uuid';
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
import { hasHadItsShare } from '../mails/issue-mail.js';

export interface LoginDeps {
  db: Database;
  config: Pick<Config, 'secretKey' | 'secretKeys'>;
  /** Told of every mail that was put into the outbox. */
  onMail(mailId: string): void;
}

export interface Login {
  email: string;
  password: string;
  code?: string | undefined;
  /** Hash of the network that the client comes from. */
  client: Buffer;
}

/**
 * The workspace with this address and password, and with a code where a second factor is in force.
 * @throws AppError 401, after the same time whether the address is unknown or the password wrong; 429 while the address is locked;
 * 503 when too many log in at once
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
  if (seen?.is_new !== true || (await hasHadItsShare(db, transaction, workspaceId, 'new_login'))) return;
  const mailId = uuidv7();
  const detail = JSON.stringify({ address: origin.address, at: new Date() });
  await select(db, tellOf, [mailId, workspaceId, 'new_login', detail], transaction);
  transaction.afterCommit(() => onMail(mailId));
}

/** What was tried is told to the workspace, and by mail when it is locked for the first time. */
async function noteFailure({ db, onMail }: LoginDeps, workspace: Workspace, attempt: Try, origin: Origin): Promise<void> {
  const { id: workspaceId, name } = workspace;
  const target = { type: 'workspace', id: workspaceId, name };
  const changes = { tries: attempt.number, locked_seconds: attempt.pauseSeconds };
  await inTransaction(db, async (transaction) => {
    const stranger = { ...origin, actor: anonymous };
    await recordAuditEvent(db, transaction, stranger, { workspaceId, type: 'auth.login_failed', target, changes });
    if (attempt.number !== freeTries) return;
    const mailId = uuidv7();
    const told = await select(db, tellOnce, [mailId, workspaceId, JSON.stringify({ address: origin.address })], transaction);
    if (told.length > 0) transaction.afterCommit(() => onMail(mailId));
  });
}

/** The first address of all is where the account was made: there is nobody to tell. */
const noteAddress = `
  WITH known AS (SELECT bool_or(digest = $2) AS is_known FROM login_addresses WHERE workspace_id = $1),
    noted AS (
      INSERT INTO login_addresses (workspace_id, digest, last_at) VALUES ($1, $2, now())
      ON CONFLICT (workspace_id, digest) DO UPDATE SET last_at = now()
    )
  SELECT is_known IS FALSE AS is_new FROM known`;

const tellOf = 'INSERT INTO mails (id, workspace_id, kind, detail) VALUES ($1, $2, $3, $4)';
/** Whoever goes on trying fills nobody's mailbox. */
const tellOnce = `
  INSERT INTO mails (id, workspace_id, kind, detail)
  SELECT $1::uuid, $2::uuid, 'login_locked', $3::json
  WHERE NOT EXISTS (SELECT 1 FROM mails WHERE workspace_id = $2 AND kind = 'login_locked' AND created_at > now() - interval '1 day')
  RETURNING id`;
