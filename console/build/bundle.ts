/**
 * Build step: bundles the console into `dist/console/site`. A file's name contains a hash of its content, and it is stored compressed beside
 * itself, so that the API only sends files and browsers keep them for ever.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import type { Manifest } from '../../api/pages/console.js';
import { licensesOf } from './licenses.js';

const root = resolve(import.meta.dirname, '../../..');
const site = join(root, 'dist/console/site');
const assets = join(site, 'assets');

const { outputFiles, metafile } = await build({
  absWorkingDir: root,
  entryPoints: ['console/app/main.tsx', 'console/styles/console.css', 'console/app/icon.svg'],
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  minify: true,
  jsx: 'automatic',
  jsxImportSource: 'preact',
  loader: { '.svg': 'copy' },
  legalComments: 'none', // see licenses.ts
  entryNames: '[name]-[hash]',
  chunkNames: 'part-[hash]',
  outdir: assets,
  metafile: true,
  write: false,
});

mkdirSync(assets, { recursive: true });
const licenses = licenseFile();
const files = [...outputFiles, licenses];
for (const { path, contents } of files) store(path, contents);
const kept = new Set(files.map(({ path }) => basename(path)));
for (const name of readdirSync(assets)) if (!kept.has(name.replace(/\.(br|gz)$/, ''))) rmSync(join(assets, name));
replace(join(site, 'manifest.json'), JSON.stringify(manifestOf(metafile), null, 2));

function licenseFile(): { path: string; contents: Uint8Array } {
  const contents = Buffer.from(licensesOf(metafile, root));
  const hash = createHash('sha256').update(contents).digest('hex').slice(0, 8);
  return { path: join(assets, `licenses-${hash}.txt`), contents };
}

/** Writes a file and its compressed forms. A file that is there has this content, because its name has the hash. */
function store(path: string, contents: Uint8Array): void {
  if (existsSync(`${path}.br`)) return;
  replace(path, contents);
  replace(`${path}.gz`, gzipSync(contents, { level: 9 }));
  replace(`${path}.br`, brotliCompressSync(contents, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: contents.length } }));
}

/** A service that runs from this folder never reads half a file. */
function replace(path: string, contents: string | Uint8Array): void {
  writeFileSync(`${path}.new`, contents);
  renameSync(`${path}.new`, path);
}

function manifestOf({ outputs }: Metafile): Manifest {
  const nameOf = (path: string) => relative(assets, join(root, path));
  const entry = (source: string) => {
    const found = Object.entries(outputs).find(([, { entryPoint, inputs }]) => (entryPoint ?? Object.keys(inputs)[0]) === source);
    if (found === undefined) throw new Error(`${source} was not built`);
    return found;
  };
  const [script] = entry('console/app/main.tsx');
  const eager = new Set<string>();
  const follow = (path: string): void => {
    for (const part of outputs[path]?.imports ?? []) {
      if (part.kind !== 'import-statement' || eager.has(part.path)) continue;
      eager.add(part.path);
      follow(part.path);
    }
  };
  follow(script);
  return {
    script: nameOf(script),
    style: nameOf(entry('console/styles/console.css')[0]),
    icon: nameOf(entry('console/app/icon.svg')[0]),
    preloads: [...eager].map(nameOf),
    licenses: basename(licenses.path),
  };
}
