import { makeId } from '../../rules/values/make-id.js';
import { type Database, inTransaction, select, type Transaction } from '../../db/database.js';
import { emailExists } from '../../errors.js';
import { digestMailToken, mailToken } from '../../rules/accounts/mail-token.js';
import { actingAs, type Origin } from '../../rules/audit/origin.js';
import { Workspace } from '../../tables/workspace.js';
import { recordAuditEvent } from '../audit/record-audit-event.js';
import { credit } from '../billing/post-credits.js';
import { refuseTakenEmail } from './refuse-taken-email.js';

export interface NewWorkspace {
  email: string;
  name: string;
  password_hash: string;
  phone: string | null;
  country: string | null;
  /** In thousandths of a credit, with the description of the ledger entry. */
  credits: { amount: number; description: string };
}

/** Inserts a workspace with its first credits and its audit event. */
export async function insertWorkspace(
  db: Database,
  transaction: Transaction,
  { credits, ...fields }: NewWorkspace,
  origin: Origin,
): Promise<Workspace> {
  const created = await Workspace.create({ id: makeId(), ...fields }, { transaction });
  const { id, name } = created;
  if (credits.amount > 0) await credit(db, transaction, id, { kind: 'grant', reference: id, ...credits });
  const event = { workspaceId: id, type: 'workspace.created', target: { type: 'workspace', id, name } } as const;
  await recordAuditEvent(db, transaction, origin.actor.type === 'system' ? origin : actingAs(origin, created), event);
  return created;
}

/** An invitation by an operator may stay unread for some days. Reset tokens that owners request are valid for an hour. */
const invitationDays = 7;
/** No password has this hash. */
const noPassword = '-';

/**
 * Creates a workspace for another person. It has no password: its owner sets one with the token, which also verifies the address.
 * @returns the token. It is not stored
 * @throws AppError email_exists if the address is taken. Nothing is stored then
 */
export async function createWorkspace(
  db: Database,
  secretKey: string,
  wanted: Pick<NewWorkspace, 'email' | 'name' | 'credits'>,
  origin: Origin,
): Promise<{ workspace: Workspace; token: string; expiresAt: Date }> {
  if ((await Workspace.byEmail(wanted.email)) !== null) throw emailExists();
  const tokenId = makeId();
  const token = mailToken(secretKey, tokenId);
  const expiresAt = new Date(Date.now() + invitationDays * 86_400_000);
  return refuseTakenEmail(() =>
    inTransaction(db, async (transaction) => {
      const fields = { ...wanted, password_hash: noPassword, phone: null, country: null };
      const created = await insertWorkspace(db, transaction, fields, origin);
      await select(db, insertToken, [tokenId, created.id, digestMailToken(token), expiresAt], transaction);
      return { workspace: await created.reload({ transaction }), token, expiresAt };
    }),
  );
}

const insertToken = `INSERT INTO mail_tokens (id, workspace_id, purpose, digest, expires_at) VALUES ($1, $2, 'reset', $3, $4)`;
