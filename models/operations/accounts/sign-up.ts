import type { Config } from '../../settings/config.js';
import { type Database, inTransaction, select } from '../../db/database.js';
import { emailExists } from '../../errors.js';
import { hashPassword } from '../../passwords.js';
import type { ClientDigests } from '../../rules/accounts/login-digest.js';
import type { Origin } from '../../rules/audit/origin.js';
import { Workspace } from '../../tables/workspace.js';
import { enqueueTokenMail } from '../mails/mail-queue.js';
import { insertWorkspace } from './create-workspace.js';
import { refuseTakenEmail } from './refuse-taken-email.js';

export interface SignUp {
  email: string;
  password: string;
  company_name: string;
  phone: string | null;
  country: string | null;
  /** Hashes of the client's network. */
  client?: ClientDigests;
}

/**
 * Creates a workspace with its sign-up credits and the mail that verifies its address.
 * @throws AppError email_exists if the address is taken, in any letter case; unavailable if too many passwords wait. Nothing is stored then
 */
export async function signUp(
  { db, config }: { db: Database; config: Pick<Config, 'secretKey' | 'signupCredits'> },
  { email, password, company_name, phone, country, client }: SignUp,
  origin: Origin,
): Promise<{ workspace: Workspace; mailId: string }> {
  if ((await Workspace.byEmail(email)) !== null) throw emailExists();
  const password_hash = await hashPassword(password, email.toLowerCase());
  return refuseTakenEmail(() =>
    inTransaction(db, async (transaction) => {
      const credits = { amount: config.signupCredits, description: 'Signup credits' };
      const fields = { name: company_name, email, password_hash, phone, country, credits };
      const created = await insertWorkspace(db, transaction, fields, origin);
      if (client !== undefined) await select(db, noteAddress, [created.id, client[0]], transaction);
      const mailId = await enqueueTokenMail(db, transaction, config.secretKey, { workspaceId: created.id, purpose: 'verify' });
      return { workspace: await created.reload({ transaction }), mailId };
    }),
  );
}

/** Logins from this client cause no notice. */
const noteAddress = 'INSERT INTO login_addresses (workspace_id, digest, last_at) VALUES ($1, $2, now())';
