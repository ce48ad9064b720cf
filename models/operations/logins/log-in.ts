import { afterCommit, inTransaction, select, type Transaction } from '../../db/database.js';
import { codeRequired, wrongCode, wrongPassword } from '../../refused-credentials.js';
import { accountWithPassword } from '../../passwords.js';
import type { ClientDigests } from '../../rules/accounts/login-digest.js';
import { actingAs, type Origin } from '../../rules/audit/origin.js';
import { Workspace } from '../../tables/workspace.js';
import { countAttempt, deleteAttempts, type LoginAttempt, uncountIfItFails } from './login-attempts.js';
import { type LoginAttemptDeps, noteFailedAttempt } from './note-failed-attempt.js';
import { type UsedCode, useCode } from './use-code.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { enqueueNotice } from '../mails/mail-queue.js';
import type { MailKind } from '../../rules/accounts/mail-kinds.js';

export interface LoginDeps extends LoginAttemptDeps {
  /**
   * Called before the password is verified. A refusal uncounts the attempt.
   * @param isExempt the client has reset the password a short while ago
   */
  admit(isExempt: boolean): Promise<void>;
  /** Called with the id of the account, if there is one. */
  onAccount(workspaceId: string): void;
}

export interface Login {
  email: string;
  password: string;
  code?: string | undefined;
  /** Hashes of the client's network. */
  client: ClientDigests;
}

/**
 * The workspace with this address and password, and with a verification code if a second factor is enabled.
 * @throws AppError unauthorized after the same time whether the address is unknown or the password wrong; code_required if a second factor
 *   is enabled and no code was given; rate_limited while the address is locked; unavailable if too many log in at the same time
 */
export async function logIn(deps: LoginDeps, login: Login, origin: Origin): Promise<Workspace> {
  const { db, config } = deps;
  const attempt = await admitAttempt(deps, login);
  let known: Workspace | null = null;
  const lookUp = async () => {
    known = await Workspace.byEmail(login.email);
    if (known !== null) deps.onAccount(known.id);
    return known;
  };
  const workspace = await uncountIfItFails(db, attempt, () => accountWithPassword(lookUp, login.password, login.email.toLowerCase()));
  if (workspace === null) {
    if (known !== null) await noteFailedAttempt(deps, { workspace: known, attempt }, origin);
    throw wrongPassword();
  }
  if (workspace.totp_confirmed_at !== null && (login.code ?? '') === '') {
    await noteFailedAttempt(deps, { workspace, attempt, reason: 'code_required' }, origin);
    throw codeRequired();
  }
  const isLoggedIn = await inTransaction(db, async (transaction) => {
    const code = { workspaceId: workspace.id, code: login.code ?? '' };
    const used = workspace.totp_confirmed_at === null ? noCode : await useCode(db, transaction, config.secretKeys, code);
    if (used === null) return false;
    await noteLogin(deps, transaction, { ...login, ...used, workspace }, origin);
    return true;
  });
  if (isLoggedIn) return workspace;
  await noteFailedAttempt(deps, { workspace, attempt, reason: 'wrong_code' }, origin);
  throw wrongCode();
}

/** Counts the attempt, unless it is not admitted. An address that is locked refuses first, so its attempts use up nothing of a common limit. */
async function admitAttempt({ db, config, admit }: LoginDeps, { email, client }: Login): Promise<LoginAttempt> {
  const attempt = await countAttempt(db, config.secretKeys, email, client);
  await uncountIfItFails(db, attempt, () => admit(attempt.isExempt));
  return attempt;
}

async function noteLogin(
  { db, config, onMail }: LoginDeps,
  transaction: Transaction,
  { email, client, workspace, recoveryCodesLeft }: Login & UsedCode & { workspace: Workspace },
  origin: Origin,
): Promise<void> {
  const { id: workspaceId, name } = workspace;
  await deleteAttempts(db, config.secretKeys, email, transaction);
  const target = { type: 'workspace', id: workspaceId, name } as const;
  const left = recoveryCodesLeft === null ? null : { recovery_codes_left: recoveryCodesLeft };
  const changes = left === null ? null : { method: 'recovery_code', ...left };
  await recordAuditEvent(db, transaction, actingAs(origin, workspace), { workspaceId, type: 'auth.login', target, changes });
  const notify = async (kind: MailKind, more: object) => {
    const mailId = await enqueueNotice(db, transaction, workspaceId, { kind, detail: { address: origin.address, ...more } });
    if (mailId !== null) afterCommit(transaction, () => onMail(mailId));
  };
  const [seen] = await select<{ is_new: boolean }>(db, noteAddress, [workspaceId, client[0], client], transaction);
  if (seen?.is_new === true) await notify('new_login', { at: new Date() });
  if (left !== null) await notify('recovery_code_used', left);
}

/** Of a login without a second factor. */
const noCode: UsedCode = { recoveryCodesLeft: null };

/**
 * The address from which the account was made is known. If no address is known, because an operator made the account or nobody has logged
 * in for long, each is new.
 */
const noteAddress = `
  WITH known AS (SELECT bool_or(digest = ANY($3::bytea[])) AS is_known FROM login_addresses WHERE workspace_id = $1),
    noted AS (
      INSERT INTO login_addresses (workspace_id, digest, last_at) VALUES ($1, $2, now())
      ON CONFLICT (workspace_id, digest) DO UPDATE SET last_at = now()
    )
  SELECT is_known IS NOT TRUE AS is_new FROM known`;
