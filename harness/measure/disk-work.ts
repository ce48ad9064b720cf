/** The writes of PostgreSQL servers: transactions, write-ahead log, growth. */
import { type Database, select } from '../../models/db/database.js';

export interface DiskWork {
  commits: number;
  walKb: number;
  /** The size of all databases of the server. */
  sizeKb: number;
}

const counters = `SELECT (SELECT sum(xact_commit)::float8 FROM pg_stat_database) AS commits,
  (SELECT wal_bytes::float8 / 1024 FROM pg_stat_wal) AS "walKb",
  (SELECT sum(pg_database_size(oid))::float8 / 1024 FROM pg_database) AS "sizeKb"`;

/** The totals so far, by the name of the server. */
export async function diskWorkOf<Name extends string>(servers: Readonly<Record<Name, Database>>): Promise<Record<Name, DiskWork>> {
  const entries = Object.entries<Database>(servers).map(async ([name, db]) => [name, (await select<DiskWork>(db, counters))[0]]);
  return Object.fromEntries(await Promise.all(entries)) as Record<Name, DiskWork>;
}

/** The writes between two measurements, per message. */
export function perMessage<Name extends string>(
  before: Record<Name, DiskWork>,
  after: Record<Name, DiskWork>,
  messages: number,
): Record<Name, DiskWork> {
  const of = (name: Name, counter: keyof DiskWork) => (after[name][counter] - before[name][counter]) / messages;
  const names = Object.keys(after) as Name[];
  return Object.fromEntries(
    names.map((name) => [name, { commits: of(name, 'commits'), walKb: of(name, 'walKb'), sizeKb: of(name, 'sizeKb') }]),
  ) as Record<Name, DiskWork>;
}
