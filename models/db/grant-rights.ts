import { type Database, select, selectOne } from './database.js';
import { SchemaLock } from './schema-lock.js';

/**
 * Grants a role the rights of the running program: rows of all tables, and the values of all sequences. The role owns nothing, so it cannot drop
 * or change tables, triggers or functions. It cannot change entries of the ledger, independently of the trigger. It can change only the personal
 * columns of audit events, which are emptied when the account ends. The owner of the tables must repeat this after every migration.
 *
 * Tables of other roles in the same schema are left alone: the owner may not grant rights on them.
 * @param role as PostgreSQL knows it
 */
export async function grantRights(db: Database, role: string, lock = new SchemaLock(db)): Promise<void> {
  const name = `"${role.replaceAll('"', '""')}"`;
  // PostgreSQL refuses grants on the same table at the same time. In one transaction the running program never misses a right meanwhile.
  await lock.inTransaction(async (transaction) => {
    const owned = await selectOne<Owned>(db, readOwned, [], transaction);
    for (const statement of statementsFor(owned, name)) await select(db, statement, [], transaction);
  });
}

/** Names in SQL, separated by commas; null if there is none. */
interface Owned {
  schema: string;
  tables: string | null;
  sequences: string | null;
}

const readOwned = `
  SELECT home.relnamespace::regnamespace::text AS schema,
    string_agg(c.oid::regclass::text, ', ') FILTER (WHERE c.relkind IN ('r', 'p')) AS tables,
    string_agg(c.oid::regclass::text, ', ') FILTER (WHERE c.relkind = 'S') AS sequences
  FROM pg_class home LEFT JOIN pg_class c ON c.relnamespace = home.relnamespace AND pg_has_role(c.relowner, 'USAGE')
  WHERE home.oid = 'schema_migrations'::regclass
  GROUP BY home.relnamespace`;

const statementsFor = ({ schema, tables, sequences }: Owned, role: string): string[] => [
  `GRANT USAGE ON SCHEMA ${schema} TO ${role}`,
  ...(tables === null ? [] : [`GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables} TO ${role}`]),
  ...(sequences === null ? [] : [`GRANT USAGE, SELECT ON SEQUENCE ${sequences} TO ${role}`]),
  `REVOKE UPDATE, DELETE ON credit_entries FROM ${role}`,
  `REVOKE UPDATE ON audit_events FROM ${role}`,
  `GRANT UPDATE (actor_name, address, user_agent, target_name, changes) ON audit_events TO ${role}`,
  `REVOKE INSERT, UPDATE, DELETE ON schema_migrations FROM ${role}`,
];
