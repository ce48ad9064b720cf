/** Changes that callers make in their workspace, in one order with everything that ends their credentials. */
import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import { type AppError } from '../../errors.js';
import { deactivatedApiKey, invalidApiKey, invalidToken } from '../../refused-credentials.js';
import type { Origin, RequestCredential } from '../../rules/audit/origin.js';
import { isLiveKey, isLiveSession } from './live-credentials.js';

/** Transactions in which the credential of the caller was valid under the lock of the workspace's row. */
const checked = new WeakSet<Transaction>();

/** Whether `asCaller` runs this transaction. */
export const isAsCaller = (transaction: Transaction): boolean => checked.has(transaction);

/**
 * Runs what a caller asked for in one transaction, under the lock of the workspace's row. A credential is checked when its request begins,
 * and the body may end a minute later: meanwhile a reset, a logout or the end of the account may have ended the credential. All of these
 * take the same lock. So either they find everything that the caller stored, or the caller is refused and stores nothing.
 * @param origin who asks; without a credential (an operator, the service itself) nothing is checked
 * @throws AppError unauthorized if the credential has ended
 */
export function asCaller<Result>(
  db: Database,
  workspaceId: string,
  { credential }: Pick<Origin, 'credential'>,
  work: (transaction: Transaction) => Promise<Result>,
): Promise<Result> {
  return inTransaction(db, async (transaction) => {
    await lockWorkspace(db, transaction, workspaceId);
    await assertLive(db, workspaceId, { credential }, transaction);
    checked.add(transaction);
    return work(transaction);
  });
}

/** Until the transaction ends, nothing else ends credentials of this workspace or changes what they gave access to. */
export async function lockWorkspace(db: Database, transaction: Transaction, workspaceId: string): Promise<void> {
  await select(db, 'SELECT 1 FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', [workspaceId], transaction);
}

/** The same for the workspace of a token from a mail. A token is used, replaced and voided under this lock. */
export async function lockWorkspaceOf(db: Database, transaction: Transaction, tokenDigest: Buffer): Promise<void> {
  const sql = 'SELECT 1 FROM workspaces WHERE id = (SELECT workspace_id FROM mail_tokens WHERE digest = $1) FOR NO KEY UPDATE';
  await select(db, sql, [tokenDigest], transaction);
}

interface Found {
  is_live: boolean;
  /** Null without an API key. */
  is_active: boolean | null;
}

/**
 * Not part of the statement that locks: a statement that waited for a lock sees other tables as they were before the wait.
 * @throws AppError unauthorized if the credential has ended
 */
export async function assertLive(
  db: Database,
  workspaceId: string,
  { credential }: Pick<Origin, 'credential'>,
  transaction?: Transaction,
): Promise<void> {
  if (credential === undefined) return;
  const bind = [workspaceId, credential.token?.version ?? null, credential.token?.id ?? null, credential.keyId];
  const [found] = await select<Found>(db, find, bind, transaction);
  if (found?.is_live !== true) throw refusalOf(credential, found);
}

/** The answer that a new request with this credential would get. */
function refusalOf({ keyId }: RequestCredential, found: Found | undefined): AppError {
  if (keyId === null) return invalidToken();
  return found?.is_active === false ? deactivatedApiKey() : invalidApiKey();
}

const find = `
  SELECT ${isLiveSession('$2::integer', '$3::uuid')} AND ${isLiveKey('$4::uuid')} AS is_live,
    (SELECT k.is_active FROM api_keys k WHERE k.id = $4::uuid) AS is_active
  FROM workspaces w WHERE w.id = $1`;
