/** The files of the migrations. They are not compiled, so they are read from the source folder, beside dist/. */
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';

const folder = resolve(import.meta.dirname, '../../../models/migrations');

/**
 * The names of all migrations, in their order.
 * @throws Error if there is none: an incomplete copy of the program must not take an empty database for migrated
 */
export async function migrationNames(): Promise<string[]> {
  const files = await readdir(folder).catch(() => []);
  const names = files.filter((name) => name.endsWith('.sql')).toSorted();
  if (names.length === 0) throw new Error(`there are no migrations in ${folder}`);
  return names;
}

/** The path of a migration. */
export const migrationPath = (name: string): string => join(folder, name);
