/** The sources of settings for `npm start` and for the commands of operators, in this order: the environment, `.env`, and a running `npm start`. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { isPidInUse } from '../process/is-pid-in-use.js';
import { ConfigError } from './config.js';

/** The part of `DATA_DIR/run.json` that commands read. `local/state/run-record.ts` writes the file. */
export interface RunningService {
  launcher?: { pid: number } | undefined;
  /** The settings that the launcher has generated for API and worker, such as DATABASE_URL. */
  settings?: NodeJS.ProcessEnv | undefined;
}

export const runFileIn = (dataDir: string) => join(dataDir, 'run.json');

/** The environment, completed by the file `.env` of a folder, if there is one. */
export function withEnvFile(env: NodeJS.ProcessEnv, folder = process.cwd()): NodeJS.ProcessEnv {
  const text = readIfPresent(join(folder, '.env'));
  return text === undefined ? env : { ...parseEnv(text), ...env };
}

/**
 * The environment of an operator's command. If DATABASE_URL is absent, the command is for the service of `npm start` in DATA_DIR, and gets
 * the settings that its launcher has generated.
 */
export function commandEnvironment(env: NodeJS.ProcessEnv = process.env, folder = process.cwd()): NodeJS.ProcessEnv {
  const own = withEnvFile(env, folder);
  if ((own.DATABASE_URL ?? '') !== '') return own;
  return { ...own, ...settingsOfService(resolve(folder, own.DATA_DIR || '.data')) };
}

function settingsOfService(dataDir: string): NodeJS.ProcessEnv {
  const text = readIfPresent(runFileIn(dataDir));
  if (text === undefined) return {};
  const { launcher, settings = {} } = parsed(text, runFileIn(dataDir));
  return launcher !== undefined && isPidInUse(launcher.pid) ? settings : {};
}

function parsed(text: string, path: string): RunningService {
  try {
    return JSON.parse(text) as RunningService;
  } catch {
    throw new ConfigError([`${path} is not JSON: restart the service of this folder, or set DATABASE_URL`]);
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new ConfigError([`${path} cannot be read (${message})`]);
  }
}
