/** Where the project's own files are, seen from the compiled tests in dist/test/deploy. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder. */
export const root = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '');

/** The text of one of the project's files. */
export const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

/** One of the project's JSON files. */
export const jsonOf = <T>(path: string): T => JSON.parse(textOf(path)) as T;
