import { type Database, select } from './database.js';

/**
 * Gives a role what the running program needs: rows of all tables, and the numbers of all sequences. It owns nothing, so it cannot drop or
 * change tables, triggers or functions; and it cannot change the ledger's entries, whatever a trigger says. To be repeated after every
 * migration, by the owner of the tables.
 * @param role as PostgreSQL knows it
 */
export async function grantRights(db: Database, role: string): Promise<void> {
  const name = `"${role.replaceAll('"', '""')}"`;
  for (const statement of statements) await select(db, statement.replaceAll('$role', name));
}

const statements = [
  'GRANT USAGE ON SCHEMA public TO $role',
  'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO $role',
  'GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO $role',
  'REVOKE UPDATE, DELETE ON credit_entries FROM $role',
  'REVOKE INSERT, UPDATE, DELETE ON schema_migrations FROM $role',
];
