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

/** @throws UsageError if there is no key, or the stored file cannot be read */
export function readSettings(env: NodeJS.ProcessEnv): Settings {
  const { TIDINGS_URL: url, TIDINGS_API_KEY: apiKey } = env;
  if (apiKey !== undefined) return { apiKey, baseUrl: url ?? localUrl };
  const stored = readStored(settingsFile(env));
  const baseUrl = url ?? stored.baseUrl ?? localUrl;
  // A stored key is for the stored address only.
  if (stored.apiKey !== undefined && baseUrl === stored.baseUrl) return { apiKey: stored.apiKey, baseUrl };
  throw new UsageError(`no API key for ${baseUrl}: set TIDINGS_API_KEY and TIDINGS_URL, or run this command with login`);
}

function readStored(file: string): Partial<Settings> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return {};
    throw new UsageError(`${file} cannot be read (${message}): set TIDINGS_API_KEY and TIDINGS_URL`, { cause: error });
  }
  try {
    return Object(JSON.parse(text)) as Partial<Settings>;
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
