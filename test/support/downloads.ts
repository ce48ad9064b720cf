/** Programs of others that long runs need: installed once, into the cache of the user. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { cacheDir } from '../../local/temporal/temporal-program.js';

const cache = cacheDir(process.env);

/** A folder of the cache, made if it does not exist. */
export function cacheFolder(name: string): string {
  const folder = join(cache, name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/**
 * Installs what a file lists, once for each content of that file.
 * @returns the folder, whose name contains the digest of the file
 */
function installedBy(name: string, list: string, install: (folder: string) => void): string {
  const digest = createHash('sha256').update(readFileSync(list)).digest('hex').slice(0, 12);
  const folder = join(cache, `${name}-${digest}`);
  const complete = join(folder, 'complete');
  if (existsSync(complete)) return folder;
  exclusively(`${folder}.lock`, () => {
    if (existsSync(complete)) return; // another process has installed it meanwhile
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    install(folder);
    writeFileSync(complete, ''); // last, so that an interrupted installation is repeated
  });
  return folder;
}

const lockPollMs = 200;
/** No installation and no download takes this long. The process that holds a lock for longer was killed. */
const installMsMax = 600_000;

/** Runs the work in one process at a time: test files run side by side. */
function exclusively(lock: string, work: () => void): void {
  mkdirSync(cache, { recursive: true });
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (Date.now() - since > installMsMax) rmSync(lock, { recursive: true, force: true });
      else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lockPollMs);
    }
  }
  try {
    work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

const run = (command: string, args: readonly string[], cwd?: string) =>
  execFileSync(command, args, { stdio: 'inherit', ...(cwd === undefined ? {} : { cwd }) });

/** A virtual environment with the packages of a requirements file, all of them pinned. Needs python3 with venv. @returns its `bin` */
export function pythonPrograms(name: string, requirements: string): string {
  const folder = installedBy(name, requirements, (home) => {
    run('python3', ['-m', 'venv', home]);
    run(join(home, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', '--no-deps', '--requirement', requirements]);
  });
  return join(folder, 'bin');
}

/** A folder with the packages of a requirements file, for installations without an index. @param bin of `pythonPrograms` */
export const pythonWheels = (bin: string, requirements: string): string =>
  installedBy('python-wheels', requirements, (folder) => {
    const options = ['--quiet', '--disable-pip-version-check', '--no-deps', '--dest', folder];
    run(join(bin, 'pip'), ['download', ...options, '--requirement', requirements]);
  });

/** The packages of a package.json, all of them pinned. @returns the folder with `node_modules` */
export function nodePackages(name: string, manifest: string): string {
  return installedBy(name, manifest, (folder) => {
    copyFileSync(manifest, join(folder, 'package.json'));
    run('npm', ['install', '--silent', '--no-audit', '--no-fund', '--ignore-scripts'], folder);
  });
}

/** A file of the web. @throws Error when its content is not the expected one */
export async function downloaded(url: string, sha256: string): Promise<string> {
  const path = join(cacheFolder('downloads'), basename(url));
  if (existsSync(path)) return path;
  const response = await fetch(url, { signal: AbortSignal.timeout(installMsMax) });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  const content = Buffer.from(await response.arrayBuffer());
  const digest = createHash('sha256').update(content).digest('hex');
  if (digest !== sha256) throw new Error(`${url} has the SHA-256 ${digest}, expected ${sha256}`);
  writeFileSync(`${path}.new`, content);
  renameSync(`${path}.new`, path);
  return path;
}
