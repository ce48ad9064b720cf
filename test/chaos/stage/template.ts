/** A PostgreSQL cluster with the migrated schema. It is created once per command and copied for each run. */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { launchUntilReady } from '../../../local/processes/launch-until-ready.js';
import { PortBook } from '../../../local/processes/ports.js';
import { clusterDir, databaseUrl, makeCluster, postgresPart, type PostgresPlace } from '../../../local/postgres/postgres.js';
import { findPostgres } from '../../../local/postgres/postgres-binaries.js';
import { runOnce } from '../../../local/processes/run-once.js';
import { RunRecord } from '../../../local/state/run-record.js';
import { connect } from '../../../models/db/database.js';
import { migrate } from '../../../models/migrate.js';

/** Without fsync, a killed server loses no data; only a machine that loses power does. Few small WAL files fit on the small disk. */
const settings = { fsync: 'off', max_wal_size: '96MB', min_wal_size: '32MB', shared_buffers: '64MB', log_min_messages: 'warning' };

export const password = 'password-of-the-battery';

/** The place of a cluster, for `postgresPart`. @param folder contains it */
export const placeIn = async (folder: string, log: string): Promise<PostgresPlace> => ({
  binaries: await findPostgres(),
  dataDir: folder,
  password,
  log,
  settings,
});

/** Creates the template. @returns its folder, for `copyTemplate` */
export async function makeTemplate(root: string, cancel: AbortSignal): Promise<string> {
  const folder = join(root, 'template');
  mkdirSync(folder, { recursive: true });
  const place = await placeIn(folder, join(folder, 'postgres.log'));
  const record = new RunRecord(folder);
  await makeCluster(place, (command) => runOnce(command, record, cancel));
  const port = await new PortBook(folder).choose('postgres');
  const server = await launchUntilReady(postgresPart(place, port), record, cancel);
  try {
    const db = connect(databaseUrl(password, port), 2);
    await migrate(db);
    await db.close();
  } finally {
    await server.end();
  }
  return folder;
}

/** Copies the cluster into the folder of a run. The owners of files stay the same. */
export function copyTemplate(template: string, folder: string): void {
  const { status, stderr } = spawnSync('cp', ['-a', clusterDir(template), clusterDir(folder)], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the cluster was not copied: ${stderr}`);
}
