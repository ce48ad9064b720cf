/** Tells installations of Tidings apart that use the same Temporal server. */
import { type Database, select, withConnection } from '../db/database.js';
import { hasSchema } from './require-schema.js';
import type { Config } from '../settings/config.js';

/** Field of the memo of the watcher's runs, in its schedule: the installation that has the namespace. Earlier versions did not write it. */
export const installationMemo = 'installation';

/** What is wrong if another installation has the namespace, for people. */
export const foreignNamespace = (namespace: string) => `The Temporal namespace ${namespace} belongs to another installation of Tidings`;
/** What to do about it. The schedule is that of the watcher: `workflowIds.watcher`. */
export const foreignNamespaceFix = (namespace: string) =>
  'Set TEMPORAL_NAMESPACE to one of its own. ' +
  `If the other installation is gone, or its database was created again, run: temporal schedule delete -s watcher -n ${namespace}`;
/** Both, for the error of a program that refuses the namespace. */
export const refusalOfNamespace = (namespace: string) => `${foreignNamespace(namespace)}. ${foreignNamespaceFix(namespace)}`;

/** The memo of the watcher's runs, as its schedule has it. */
type Memo = Readonly<Record<string, unknown>> | undefined;

/** The installation that the namespace belongs to; null if there is no schedule, or an earlier version made it. */
export const ownerIn = (memo: Memo): string | null => (memo?.[installationMemo] as string | undefined) ?? null;

/** Whether the namespace belongs to another installation than this one, as far as both are known. */
export function isForeign(memo: Memo, installation: string | null): boolean {
  const owner = ownerIn(memo);
  return owner !== null && installation !== null && owner !== installation;
}

/**
 * The installation of this database: the time of its first migration. Nothing changes it, and a restore or an upgrade keeps it. A copy of the
 * database has it as well.
 * @returns null if the database has no schema yet
 */
export async function installationOf(db: Database): Promise<string | null> {
  if (!(await hasSchema(db))) return null;
  const [first] = await select<{ since: string }>(db, firstMigration);
  return first?.since ?? null;
}

const firstMigration = `
  SELECT to_char(applied_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') AS since
  FROM schema_migrations WHERE name LIKE '0001-%'`;

/** Asks the database of these settings. @throws when PostgreSQL does not answer */
export const readInstallation = ({ databaseUrl }: Pick<Config, 'databaseUrl'>): Promise<string | null> =>
  withConnection(databaseUrl, installationOf);
