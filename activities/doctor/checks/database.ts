/** PostgreSQL: version, schema, privileges, clock and settings. */
import { currentTime, type Database, select } from '../../../models/db/database.js';
import { remedyOf } from '../../../models/db/explain-database-error.js';
import { createWithLocale, faultOfLocale } from '../../../models/db/require-locale.js';
import { opensErasureKey } from '../../../models/operations/erasure/erasure-key.js';
import { sqlStateOf } from '../../../models/db/sql-state.js';
import { readSchema } from '../../../models/startup/require-schema.js';
import { foreignSecretKey, secretKeyFix } from '../../../models/startup/require-secret-key.js';
import { countText } from '../../../models/rules/values/text.js';
import { type Check, failed, type Finding, ok, skipped, warning } from '../check.js';

/** Up to version 14 every role can create tables in the schema `public`. */
const versionMin = 150_000;
/** Due times and leases are compared with the clock of PostgreSQL, tokens and signatures with that of the process. */
const clockWarningMs = 2_000;
const clockFailedMs = 30_000;
/** The other containers do not have the role that may change tables. */
const migrate = 'npm run migrate (in containers: docker compose run --rm migrate)';

const grantFix = `Run: ${migrate}, with MIGRATE_DATABASE_URL of the owner`;
const insufficientPrivilege = '42501';

export const databaseCheck: Check = {
  subject: 'PostgreSQL',
  fix: (error) => remedyOf(error) ?? 'Check DATABASE_URL, that the server runs, and that its firewall and pg_hba.conf allow this address',
  async run({ db, config }) {
    const facts = await factsOf(db);
    return [
      versionFinding(facts),
      ...localeFindings(await faultOfLocale(db)),
      await readSchema(db).then(schemaFinding, unreadSchema),
      privilegesFinding(facts),
      ...writesFindings(facts),
      clockFinding(Date.now() - (await currentTime(db)).getTime()),
      ...settingFindings(facts, config.databasePoolMax),
      ...archiveFindings(facts),
    ];
  },
};

/** What PostgreSQL reports. Its settings have their own names here. */
export interface DatabaseFacts {
  version: string;
  version_number: number;
  size: string;
  owns_tables: boolean;
  can_write: boolean | null;
  /** Why nothing can be written; null if it can. */
  unwritable: 'standby' | 'setting' | null;
  fsync: string;
  full_page_writes: string;
  synchronous_commit: string;
  autovacuum: string;
  /** Those that are not reserved, for superusers for example. */
  usable_connections: number;
  used_connections: number;
  /** The segment of WAL whose last attempt to be archived failed. */
  unarchived: string | null;
}

async function factsOf(db: Database): Promise<DatabaseFacts> {
  const [facts] = await select<DatabaseFacts>(db, readFacts);
  if (facts === undefined) throw new Error('PostgreSQL gave no answer');
  return facts;
}

const readFacts = `
  SELECT current_setting('server_version') AS version, current_setting('server_version_num')::integer AS version_number,
    pg_size_pretty(pg_database_size(current_database())) AS size,
    COALESCE((SELECT pg_has_role(c.relowner, 'USAGE') FROM pg_class c WHERE c.oid = to_regclass('credit_entries')), false) AS owns_tables,
    CASE WHEN to_regclass('messages') IS NOT NULL THEN (
      SELECT bool_and(has_table_privilege('messages', needed)) FROM unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS needed
    ) END AS can_write,
    CASE WHEN pg_is_in_recovery() THEN 'standby' WHEN current_setting('transaction_read_only')::boolean THEN 'setting' END AS unwritable,
    current_setting('fsync') AS fsync, current_setting('full_page_writes') AS full_page_writes,
    current_setting('synchronous_commit') AS synchronous_commit, current_setting('autovacuum') AS autovacuum,
    current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
      - COALESCE(current_setting('reserved_connections', true)::integer, 0) AS usable_connections, -- since PostgreSQL 16
    -- Background processes take no connection. Only privileged roles see the type of other roles' processes; those of clients have both ids.
    (SELECT count(*)::integer FROM pg_stat_activity
      WHERE datid IS NOT NULL AND usesysid IS NOT NULL AND COALESCE(backend_type, 'client backend') = 'client backend') AS used_connections,
    (SELECT last_failed_wal FROM pg_stat_archiver WHERE last_failed_time > COALESCE(last_archived_time, '-infinity')) AS unarchived`;

/** The processes refuse to start with another key; see `requireSecretKey`. */
export const secretKeyCheck: Check = {
  subject: 'SECRET_KEY',
  fix: 'Check PostgreSQL first. If it answers, run: npm run migrate',
  async run({ db, config }) {
    const opens = await opensErasureKey(db, config.secretKeys);
    if (opens === null) return [skipped('SECRET_KEY', 'no process has started on this database yet')];
    return [opens ? ok('SECRET_KEY', 'matches this database') : failed('SECRET_KEY', foreignSecretKey, secretKeyFix)];
  },
};

export function versionFinding({ version, version_number, size }: DatabaseFacts): Finding {
  if (version_number < versionMin) return failed('PostgreSQL', `version ${version}`, 'Upgrade PostgreSQL to 15 or newer');
  return ok('PostgreSQL', `version ${version}, database size ${size}`);
}

/** Only `npm run migrate` for a new database refuses such a locale. */
export const localeFindings = (fault: string | null): Finding[] =>
  fault === null
    ? []
    : [failed('PostgreSQL locale', fault, `Move the data with pg_dump and pg_restore to another database: ${createWithLocale}`)];

/** Compares the migrations that this version knows with those that were applied. */
export function schemaFinding({ known, applied }: { known: readonly string[]; applied: readonly string[] }): Finding {
  const missing = known.filter((name) => !applied.includes(name));
  const newer = applied.filter((name) => !known.includes(name));
  const subject = 'PostgreSQL schema';
  if (missing.length > 0)
    return failed(subject, `lacks ${countText(missing.length, 'migration')}, the first is ${missing[0]}`, `Run: ${migrate}`);
  if (newer.length > 0)
    return warning(subject, `is of a newer version (${newer.at(-1)})`, 'Update this program to the version that migrated it');
  return ok(subject, `up to date (${known.at(-1)})`);
}

/** A role without privileges cannot read the schema either. The other findings are made all the same. @throws any other error */
function unreadSchema(error: Error): Finding {
  if (sqlStateOf(error) !== insufficientPrivilege) throw error;
  return failed('PostgreSQL schema', error.message, grantFix);
}

export function privilegesFinding({ owns_tables, can_write }: DatabaseFacts): Finding {
  const subject = 'PostgreSQL privileges';
  if (can_write === false) return failed(subject, 'the role may not write messages', grantFix);
  if (can_write === null) return skipped(subject, 'the tables do not exist yet');
  if (!owns_tables) return ok(subject, 'the role may write rows, and may not change tables');
  return warning(
    subject,
    'the role owns the tables, so it can drop them',
    'Set MIGRATE_DATABASE_URL to the owner, and DATABASE_URL to another role',
  );
}

/** A server that takes no writes answers all reads, so that everything else looks well. */
export function writesFindings({ unwritable }: Pick<DatabaseFacts, 'unwritable'>): Finding[] {
  const subject = 'PostgreSQL writes';
  if (unwritable === null) return [];
  if (unwritable === 'standby')
    return [failed(subject, 'the server is a standby, which takes no writes', 'Set DATABASE_URL to the primary, or promote this server')];
  const fix =
    'Find out why (some hosts set it when the disk is nearly full), then run ALTER DATABASE … RESET default_transaction_read_only';
  return [failed(subject, 'default_transaction_read_only is on, so nothing is written', fix)];
}

/** @param aheadMs how far the clock of this machine is ahead of PostgreSQL's */
export function clockFinding(aheadMs: number): Finding {
  const detail = `${(Math.abs(aheadMs) / 1000).toFixed(1)} s ${aheadMs < 0 ? 'behind' : 'ahead of'} PostgreSQL`;
  const fix = 'Synchronize the clocks of all machines with NTP';
  if (Math.abs(aheadMs) > clockFailedMs) return failed('clock', detail, fix);
  return Math.abs(aheadMs) > clockWarningMs ? warning('clock', detail, fix) : ok('clock', detail);
}

/** Settings of the server that lose data or slow it down, and too few free connections. @param poolMax connections of one process */
export function settingFindings(facts: DatabaseFacts, poolMax: number): Finding[] {
  const subject = 'PostgreSQL settings';
  const findings: Finding[] = [];
  for (const name of ['fsync', 'full_page_writes', 'synchronous_commit'] as const) {
    if (facts[name] === 'off') findings.push(failed(subject, `${name} is off: a crash loses accepted messages`, `Set ${name} = on`));
  }
  if (facts.autovacuum === 'off') findings.push(warning(subject, 'autovacuum is off: tables grow and slow down', 'Set autovacuum = on'));
  const left = Math.max(0, facts.usable_connections - facts.used_connections);
  if (left < poolMax)
    findings.push(
      warning(subject, `${left} of ${facts.usable_connections} connections free`, 'Raise max_connections, or lower DATABASE_POOL_MAX'),
    );
  return findings.length > 0
    ? findings
    : [ok(subject, `durable; ${facts.used_connections} of ${facts.usable_connections} connections in use`)];
}

/** A segment that cannot be archived stays in pg_wal, as all later ones, until the disk is full. */
export function archiveFindings({ unarchived }: DatabaseFacts): Finding[] {
  if (unarchived === null) return [];
  const detail = `segment ${unarchived} was not archived: the backup ends before it, and pg_wal grows`;
  return [warning('PostgreSQL archive', detail, "Read PostgreSQL's log, and correct archive_command or the disk of the archive")];
}
