import { ConnectionError, DatabaseError } from 'sequelize';
import { sqlStateOf } from './sql-state.js';

/** Undefined table, undefined column. */
const schemaCodes = ['42P01', '42703'];

/** The message of an error for operators. If the database cannot be reached or has no schema, it says what to do. */
export function explainDatabaseError(error: Error): string {
  if (error instanceof ConnectionError) {
    const check = 'Check DATABASE_URL (migrate: MIGRATE_DATABASE_URL, if set), and that the server runs and lets this address in';
    return `PostgreSQL cannot be used: ${error.message}. ${check}`;
  }
  const isOfSchema = error instanceof DatabaseError && schemaCodes.includes(sqlStateOf(error) ?? '');
  return isOfSchema ? `${error.message}. If the database lacks the schema of this version, run: npm run migrate` : error.message;
}
