/**
 * Runs an operator command in the process of the tests. `api/operators/commands.test` and `local/start.test` run the program, with the role of
 * the program.
 */
import { commands } from '../../api/admin/commands/index.js';
import { runCommand } from '../../api/admin/run-command.js';
import type { Database } from '../../models/db/database.js';
import { type Config, loadConfig } from '../../models/settings/config.js';
import { testEnv } from './config.js';

/** The database, which stays open, and either the settings of an application or settings that override those of tests. */
type Place = { db: Database; config: Readonly<Config> } | { db: Database; env?: NodeJS.ProcessEnv };

/** Without the settings of an application, the command gets only those that it declares. */
export const runAdmin = (place: Place, ...args: string[]) =>
  runCommand(commands, args, async (settings) => ({
    db: place.db,
    config: 'config' in place ? place.config : loadConfig(testEnv(place.env), settings),
    close: async () => undefined,
  }));

/** What the command prints: its result, or why it failed. */
export async function adminText(...command: Parameters<typeof runAdmin>): Promise<string> {
  const { code, out, err } = await runAdmin(...command);
  return code === 0 ? out : err;
}
