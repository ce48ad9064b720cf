/** The Temporal server program: its version, its place, and the common types of what installs it. */
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from '../processes/part.js';
import { isUnset } from '../plan/plan.js';

/** Version of the Temporal CLI that we download or build; also in local/temporal/go.mod. */
export const temporalVersion = '1.8.2';

export interface InstallContext {
  env: NodeJS.ProcessEnv;
  /** The folder for the logs of the download or build. */
  logDir: string;
  say(line: string): void;
  /** Runs a command to its end; it is cancelled with the start, and after `timeoutMs`. */
  run(command: Command, timeoutMs: number): Promise<string>;
}

/** Gets a program that is not on this machine yet. Puts it at `target`, complete or not at all; rejects with the reason if it cannot. */
export type Installer = (target: string, context: InstallContext) => Promise<void>;

/** The path of the program in our cache, even if it does not exist. */
export const cachedPath = (env: NodeJS.ProcessEnv): string => join(cacheDir(env), `temporal-${temporalVersion}`, 'temporal');

/**
 * The folder for programs that are downloaded or built once for this user.
 * @param homeOfAccount throws if the account has no home, such as one that exists only as a number
 */
export const cacheDir = (env: NodeJS.ProcessEnv, homeOfAccount = () => userInfo().homedir): string =>
  join(isUnset(env.XDG_CACHE_HOME) ? cacheOfAccount(env, homeOfAccount) : env.XDG_CACHE_HOME, 'tidings');

function cacheOfAccount(env: NodeJS.ProcessEnv, homeOfAccount: () => string): string {
  try {
    return join(isUnset(env.HOME) ? homeOfAccount() : env.HOME, '.cache');
  } catch {
    return resolve(env.DATA_DIR || '.data', 'cache');
  }
}
