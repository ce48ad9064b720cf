/**
 * For operators: compares every ledger entry, message and batch with its counterpart. Entry point: `node dist/models/audit.js`; its exit
 * code is 1 if there is a difference. `--acknowledge <workspace>` records that an operator has examined the difference of a workspace's
 * balance, which is then no longer reported.
 */
import { parseArgs } from 'node:util';
import { ConfigError, loadConfig } from './settings/config.js';
import { commandEnvironment } from './settings/environment.js';
import { connect, type Database } from './db/database.js';
import { auditNow } from './operations/billing/audit-books.js';
import { acknowledgeDrift } from './operations/billing/ledger-drift.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function auditAll(db: Database): Promise<void> {
  const count = await auditNow(db, ({ what, id, detail }) => process.stdout.write(`${what} ${id}: ${JSON.stringify(detail)}\n`));
  process.stdout.write(`${count} differences.\n`);
  process.exitCode = count === 0 ? 0 : 1;
}

try {
  const { acknowledge } = parseArgs({ options: { acknowledge: { type: 'string' } } }).values;
  if (acknowledge !== undefined && !uuid.test(acknowledge)) throw new Error('--acknowledge must be the id of a workspace');
  const db = connect(loadConfig(commandEnvironment(), ['DATABASE_URL']).databaseUrl, 2);
  try {
    if (acknowledge === undefined) await auditAll(db);
    else if (!(await acknowledgeDrift(db, acknowledge))) throw new Error(`no workspace ${acknowledge}`);
    else process.stdout.write(`The balance of ${acknowledge} is taken for right from now on.\n`);
  } finally {
    await db.close();
  }
} catch (error) {
  process.stderr.write(error instanceof ConfigError ? `${error.message}\n` : `Failed: ${(error as Error).message}\n`);
  process.exitCode = 1;
}
