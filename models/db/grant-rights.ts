import { type Database, select } from './database.js';
import { SchemaLock } from './schema-lock.js';

/**
 * Grants a role the rights of the running program: rows of all tables, and the values of all sequences. The role owns nothing, so it cannot drop
 * or change tables, triggers or functions. It cannot change entries of the ledger, independently of the trigger. It can change only the personal
 * columns of audit events, which are emptied when the account ends. The owner of the tables must repeat this after every migration.
 * @param role as PostgreSQL knows it
 */
export async function grantRights(db: Database, role: string, lock = new SchemaLock(db)): Promise<void> {
  const name = `"${role.replaceAll('"', '""')}"`;
  // PostgreSQL refuses grants on the same table at the same time. In one transaction the running program never misses a right meanwhile.
  await lock.inTransaction(async (transaction) => {
    for (const statement of statements) await select(db, statement.replaceAll('$role', name), [], transaction);
  });
}

const statements = [
  'GRANT USAGE ON SCHEMA public TO $role',
  'GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO $role',
  'GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA public TO $role',
  'REVOKE UPDATE, DELETE ON credit_entries FROM $role',
  'REVOKE UPDATE ON audit_events FROM $role',
  'GRANT UPDATE (actor_name, address, user_agent, target_name, changes) ON audit_events TO $role',
  'REVOKE INSERT, UPDATE, DELETE ON schema_migrations FROM $role',
];
