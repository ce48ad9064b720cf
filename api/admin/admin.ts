#!/usr/bin/env -S node --enable-source-maps
/** Entry point of the operator commands: `npm run admin -- help`, `tidings-admin help`, `node dist/api/admin/admin.js help`. */
import { loadConfig } from '../../models/settings/config.js';
import { commandEnvironment } from '../../models/settings/environment.js';
import { connect } from '../../models/db/database.js';
import { commands } from './commands/index.js';
import { runCommand } from './run-command.js';

const { code, out, err } = await runCommand(commands, process.argv.slice(2), async (settings) => {
  const config = loadConfig(commandEnvironment(), settings);
  const db = connect(config.databaseUrl, 2);
  return { db, config, close: () => db.close() };
});
process.exitCode = code;
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return; // its reader has seen enough, as after `| head`
  process.exitCode = 1;
  process.stderr.write(`The command ended with code ${code}, but its result could not be written: ${error.message}\n`);
});
process.stderr.on('error', () => undefined); // nothing is left that could say so
process.stdout.write(out);
process.stderr.write(err);
