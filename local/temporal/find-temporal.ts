/** Finds the Temporal server program: on PATH, in our cache, by the download of the SDK, or by a build with Go. The first that works is used. */
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { buildTemporal } from './build-temporal.js';
import { downloadTemporal } from './download-temporal.js';
import { reasonOf, StartError } from '../output/start-error.js';
import { cachedPath, type InstallContext, type Installer } from './temporal-program.js';

/** The oldest supported server version of a `temporal` on PATH. */
const oldestServer = { major: 1, minor: 29 };

export interface FoundTemporal {
  path: string;
  /** The version of the server in the program. */
  server: string;
  canDisableNews: boolean;
}

const installers: Record<string, Installer> = { download: downloadTemporal, go: buildTemporal };

/**
 * Finds, downloads or builds the program.
 * @throws StartError that says what to install, and why each installer failed
 */
export async function findTemporal(context: InstallContext, use = installers): Promise<FoundTemporal> {
  const onPath = await findOnPath(context);
  if (onPath !== undefined) return onPath;
  const cached = cachedPath(context.env);
  const inCache = isExecutable(cached) ? await inspectOrSkip(cached, context) : undefined;
  if (inCache !== undefined) return inCache;
  const failures: string[] = [];
  for (const [name, install] of Object.entries(use)) {
    try {
      await install(cached, context);
      return await inspect(cached);
    } catch (error) {
      failures.push(`${name}: ${reasonOf(error)}`);
    }
  }
  throw new StartError(
    `There is no Temporal server: install the Temporal CLI (\`temporal\`, 1.5 or newer) or Go (1.26 or newer), or set TEMPORAL_ADDRESS. (${failures.join('; ')})`,
  );
}

async function findOnPath(context: InstallContext): Promise<FoundTemporal | undefined> {
  const folders = (context.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  for (const path of folders.map((folder) => join(folder, 'temporal')).filter(isExecutable)) {
    const found = await inspectOrSkip(path, context);
    if (found !== undefined) return found;
  }
  return undefined;
}

async function inspectOrSkip(path: string, { say }: InstallContext): Promise<FoundTemporal | undefined> {
  try {
    return await inspect(path);
  } catch (error) {
    say(`${path} was skipped: ${reasonOf(error)}`);
    return undefined;
  }
}

/** Reads the version of the program. Rejects if it is too old, or not Temporal. */
async function inspect(path: string): Promise<FoundTemporal> {
  const version = await ask(path, ['--version']);
  const server = /Server (\d+)\.(\d+)\.\d+/.exec(version);
  const [major, minor] = [Number(server?.[1]), Number(server?.[2])];
  if (server === null) throw new Error('its server version is not reported');
  if (major < oldestServer.major || (major === oldestServer.major && minor < oldestServer.minor)) {
    throw new Error(`it has server ${server[0].slice('Server '.length)}, needed is ${oldestServer.major}.${oldestServer.minor} or newer`);
  }
  const help = await ask(path, ['server', 'start-dev', '--help']);
  return { path, server: server[0].slice('Server '.length), canDisableNews: help.includes('--ui-disable-news-fetch') };
}

async function ask(path: string, args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(path, args, { timeout: 10_000 });
  return stdout;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
