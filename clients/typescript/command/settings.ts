/** The API key and the address of the service: from the environment, else from the file that `tidings login` writes. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { UsageError } from './command.js';

export interface Settings {
  apiKey: string;
  baseUrl: string;
}

/** Where `npm start` runs it. */
export const localUrl = 'http://127.0.0.1:3000';

/** `$XDG_CONFIG_HOME/tidings/config.json`, by default in `~/.config`. */
function settingsFile(env: NodeJS.ProcessEnv): string {
  const folder = env.XDG_CONFIG_HOME ?? '';
  return join(folder === '' ? join(env.HOME ?? homedir(), '.config') : folder, 'tidings', 'config.json');
}

/** @throws UsageError if there is no key, or the stored file is not JSON */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const stored = readStored(settingsFile(env));
  // A stored key is for the stored address only.
  const baseUrl = env.TIDINGS_URL ?? (env.TIDINGS_API_KEY === undefined ? stored.baseUrl : undefined) ?? localUrl;
  const apiKey = env.TIDINGS_API_KEY ?? (baseUrl === stored.baseUrl ? stored.apiKey : undefined);
  if (apiKey === undefined)
    throw new UsageError(`no API key for ${baseUrl}: set TIDINGS_API_KEY and TIDINGS_URL, or run this command with login`);
  return { apiKey, baseUrl };
}

function readStored(file: string): Partial<Settings> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
  try {
    return JSON.parse(text) as Partial<Settings>;
  } catch {
    throw new UsageError(`${file} is not valid: run tidings login again`);
  }
}

/** Replaces the file at once; only the owner can read it, also if the old one was readable by others. */
export function writeSettings(env: NodeJS.ProcessEnv, settings: Settings): string {
  const file = settingsFile(env);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
  renameSync(fresh, file);
  return file;
}
