/** Runs an operator command in the process of the tests. `api/operators/commands.test` runs the program. */
import { commands } from '../../api/admin/commands/index.js';
import { runCommand } from '../../api/admin/run-command.js';
import type { Database } from '../../models/db/database.js';
import { testConfig } from './config.js';

/** @param db stays open @param env settings over those of tests */
export const runAdmin = (db: Database, env: NodeJS.ProcessEnv, ...args: string[]) =>
  runCommand(commands, args, async () => ({ db, config: testConfig(env), close: async () => undefined }));
