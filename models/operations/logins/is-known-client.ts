import { type Database, select } from '../../db/database.js';
import type { ClientDigests } from '../../rules/accounts/login-digest.js';

/** Whether this client has logged in to the workspace of this address before. @param client hashes of its network */
export async function isKnownClient(db: Database, email: string, client: ClientDigests): Promise<boolean> {
  return (await select(db, known, [email, client])).length > 0;
}

const known = `
  SELECT 1 AS one FROM workspaces w JOIN login_addresses a ON a.workspace_id = w.id WHERE lower(w.email) = lower($1) AND a.digest = ANY($2::bytea[])`;
