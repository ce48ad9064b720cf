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

/** The value of a constant with a number, such as `drainMsMax`. */
export const numberIn = (path: string, name: string): number =>
  Number(new RegExp(`const ${name} = ([\\d_]+)`).exec(textOf(path))?.[1]?.replaceAll('_', ''));

/** The reference of an image that is pinned to a version: `name:tag`, or `name:tag@sha256:…`. */
export interface PinnedImage {
  name: string;
  tag: string;
  digest: string | undefined;
}

/** The parts of the reference of an image; undefined if it is not pinned to a version. */
export function pinnedImage(reference: string): PinnedImage | undefined {
  const form = /^([a-z\d][a-z\d./-]*):(v?\d+\.\d+(?:\.\d+)?(?:-[a-z\d.-]+)?)(?:@(sha256:[0-9a-f]{64}))?$/;
  const [, name, tag, digest] = form.exec(reference) ?? [];
  return name === undefined || tag === undefined ? undefined : { name, tag, digest };
}
