import { ConnectionError, DatabaseError } from 'sequelize';
import { sqlStateOf } from './sql-state.js';

/** What to do about a pooler between the program and PostgreSQL. */
export const directConnectionText =
  'DATABASE_URL (migrate: MIGRATE_DATABASE_URL, if set) must reach PostgreSQL directly, not through a pooler';

/** How PgBouncer and RDS Proxy refuse the settings of a session. */
const ofPooler = /unsupported startup parameter|command-line options/;

const remedies: Readonly<Record<string, string>> = {
  // A prepared statement does not exist, or exists already: another client of a pooler prepared it.
  '26000': directConnectionText,
  '42P05': directConnectionText,
  // A table or a column does not exist.
  '42P01': 'If the database lacks the schema of this version, run: npm run migrate',
  '42703': 'If the database lacks the schema of this version, run: npm run migrate',
  // A right is missing.
  '42501': 'Run: npm run migrate, with MIGRATE_DATABASE_URL of the owner',
};

/** What operators can do about an error; undefined if it does not show that. */
export function remedyOf(error: unknown): string | undefined {
  if (error instanceof ConnectionError) return ofPooler.test(error.message) ? directConnectionText : undefined;
  return error instanceof DatabaseError ? remedies[sqlStateOf(error) ?? ''] : undefined;
}

/** The message of an error for operators. If it shows what to do, it says so. */
export function explainDatabaseError(error: Error): string {
  const remedy = remedyOf(error);
  if (error instanceof ConnectionError) {
    const check =
      'Check DATABASE_URL (migrate: MIGRATE_DATABASE_URL, if set), that the server runs, and that its firewall and pg_hba.conf allow this address';
    return `PostgreSQL cannot be used: ${error.message}. ${remedy ?? check}`;
  }
  return remedy === undefined ? error.message : `${error.message}. ${remedy}`;
}
