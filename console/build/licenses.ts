/** The licences of the packages in the bundle. Most of them require that each copy contains their text, and the bundle has no comments. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/** The innermost folder of a package: one may contain others. */
const packageOf = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/**
 * Lists each package of the bundle with its version and the text of its licence.
 * @param root the folder to which the paths of the inputs are relative
 * @throws Error if a package has no file with its licence
 */
export function licensesOf({ inputs }: Pick<Metafile, 'inputs'>, root: string): string {
  const folders = new Set(Object.keys(inputs).flatMap((path) => packageOf.exec(path)?.[1] ?? []));
  const texts = [...folders].toSorted().map((folder) => textOf(join(root, folder)));
  return `The console contains these packages.\n\n${texts.join('\n\n')}\n`;
}

function textOf(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<string, string>;
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (file === undefined) throw new Error(`${name} ${version} has no file with its licence`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), 'utf8').trim()}`;
}
