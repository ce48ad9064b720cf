import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * The program, installed once from requirements.txt into a folder of the user's cache whose name is the digest of that file.
 * Needs python3 with venv.
 */
export function provideSchemathesis(folder: string): string {
  const requirements = join(folder, 'requirements.txt');
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 12);
  const home = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'tidings', `schemathesis-${digest}`);
  const program = join(home, 'bin/schemathesis');
  const complete = join(home, 'requirements.txt');
  if (existsSync(complete)) return program;
  rmSync(home, { recursive: true, force: true });
  const run = (command: string, ...args: string[]) => execFileSync(command, args, { stdio: 'inherit' });
  run('python3', '-m', 'venv', home);
  run(join(home, 'bin/pip'), 'install', '--quiet', '--disable-pip-version-check', '--no-deps', '--requirement', requirements);
  // Written last: a folder that was left half-way is made again.
  run('cp', requirements, `${complete}.new`);
  renameSync(`${complete}.new`, complete);
  return program;
}
