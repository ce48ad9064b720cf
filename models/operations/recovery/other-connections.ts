import { type Database, select } from '../../db/database.js';

export interface OtherConnection {
  pid: number;
  client_addr: string | null;
}

/** The connections of the service to the database, except the one that runs this query. */
export const otherConnections = (db: Database): Promise<OtherConnection[]> => select<OtherConnection>(db, others);

const others = `
  SELECT pid, host(client_addr) AS client_addr FROM pg_stat_activity
  WHERE datname = current_database() AND application_name = 'tidings' AND pid <> pg_backend_pid() ORDER BY pid`;
