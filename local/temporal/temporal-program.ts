/** What the ways to the Temporal server program have in common. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Command } from '../processes/part.js';
import { isUnset } from '../plan/plan.js';

/** Version of the Temporal CLI that we download or build; also in local/temporal/go.mod. */
export const temporalVersion = '1.8.2';

export interface Surroundings {
  env: NodeJS.ProcessEnv;
  /** folder for the output of what fetches the program */
  logDir: string;
  say(line: string): void;
  /** Runs a command to its end; it is cancelled with the start, and after `timeoutMs`. */
  run(command: Command, timeoutMs: number): Promise<string>;
}

/** A way to a program that is not on this machine yet: puts it at `target`, whole or not at all; rejects with the reason why it cannot. */
export type Way = (target: string, surroundings: Surroundings) => Promise<void>;

/** Path of the program in our cache, whether it is there or not. */
export const cachedPath = (env: NodeJS.ProcessEnv): string => join(cacheDir(env), `temporal-${temporalVersion}`, 'temporal');

/** Folder of what is fetched or built once for this user. */
export function cacheDir(env: NodeJS.ProcessEnv): string {
  const cacheHome = isUnset(env.XDG_CACHE_HOME) ? join(env.HOME ?? homedir(), '.cache') : env.XDG_CACHE_HOME;
  return join(cacheHome, 'tidings');
}
