/** The documents of the project: what they link to and name exists, and the first page stays short. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { root, textOf } from './project.js';

const linesMax = 250;
const readmeLinesMax = 200;
/** They are in every clone. */
const pictureBytesMax = 1_500_000;

/** Folders with text that is not ours. */
const foreign = new Set(['node_modules', 'dist', 'coverage']);

function filesIn(folder: string, extension: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return foreign.has(entry.name) || entry.name.startsWith('.') ? [] : filesIn(path, extension);
    return entry.name.endsWith(extension) ? [path] : [];
  });
}

const documents = filesIn('', '.md');

/** Code is no prose: what looks like a link there is none. */
const proseOf = (path: string) =>
  textOf(path)
    .replaceAll(/^```[^]*?^```$/gm, '')
    .replaceAll(/`[^`\n]*`/g, '');

/** As GitHub makes it from a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (path: string) =>
  new Set(
    [
      ...textOf(path)
        .replaceAll(/^```[^]*?^```$/gm, '')
        .matchAll(/^#+ (.*)$/gm),
    ].map(([, heading = '']) => anchorOf(heading)),
  );

/** What is wrong with a link; null when it leads somewhere. */
function faultOf(from: string, link: string): string | null {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? from : normalize(join(dirname(from), file));
  if (!existsSync(join(root, target))) return `${from}: no file ${link}`;
  if (anchor !== undefined && !anchorsOf(target).has(anchor)) return `${from}: no heading ${link}`;
  return null;
}

describe('documents', () => {
  it('documents link only to files and headings that exist', () => {
    const links = documents.flatMap((path) =>
      [...proseOf(path).matchAll(/\]\(([^)\s]+)\)/g)]
        .map(([, link = '']) => [path, link] as const)
        .filter(([, link]) => !/^[a-z]+:/.test(link)),
    );
    assert.ok(links.length > 50);
    assert.deepEqual(
      links.map(([path, link]) => faultOf(path, link)).filter((fault) => fault !== null),
      [],
    );
  });

  it('documents show pictures that exist, and all pictures are shown and small', () => {
    const shown = new Set(
      documents.flatMap((path) =>
        [...proseOf(path).matchAll(/(?:!\[[^\]]*\]\(|src(?:set)?=")([^)"\s]+)/g)].map(([, file = '']) =>
          normalize(join(dirname(path), file)),
        ),
      ),
    );
    const pictures = filesIn('docs/images', '.png');
    assert.ok(pictures.length > 10);
    assert.deepEqual(
      [...shown].filter((path) => !path.includes(':') && !existsSync(join(root, path))),
      [],
    );
    assert.deepEqual(
      pictures.filter((path) => !shown.has(path)),
      [],
    );
    const bytes = pictures.reduce((sum, path) => sum + statSync(join(root, path)).size, 0);
    assert.ok(bytes < pictureBytesMax, `${bytes} bytes`);
  });

  it(`documents have at most ${linesMax} lines, the README ${readmeLinesMax}`, () => {
    const long = documents.filter((path) => textOf(path).split('\n').length - 1 > (path === 'README.md' ? readmeLinesMax : linesMax));
    assert.deepEqual(long, []);
  });

  it('documents name only tests that exist as guards of sharp edges', () => {
    const guards = [...textOf('docs/sharp-edges.md').matchAll(/^- \*Guarded by:\*.*(?:\n  .*)*$/gm)].flatMap(([line]) => [
      ...line.matchAll(/`([a-z]+\/[a-z/-]+)`/g),
    ]);
    assert.ok(guards.length > 10);
    const missing = guards.map(([, name]) => `test/${name}.test.ts`).filter((path) => !existsSync(join(root, path)));
    assert.deepEqual(missing, []);
  });

  it('documents name only source files that exist', () => {
    const sources = filesIn('', '.ts');
    const missing = documents
      .flatMap((path) => [...textOf(path).matchAll(/`([a-z][a-z\d/-]*\.ts)`/g)].map(([, name = '']) => [path, name] as const))
      .filter(
        ([path, name]) => !existsSync(join(root, dirname(path), name)) && !sources.some((source) => `/${source}`.endsWith(`/${name}`)),
      );
    assert.ok(sources.length > 500);
    assert.deepEqual(missing, []);
  });

  it('a file that a recipe names without a folder is the only one of its name', () => {
    const recipes = textOf('docs/contributing.md') + textOf('docs/small-changes.md');
    const names = new Set([...recipes.matchAll(/`([\w-]+\.tsx?)`/g)].map(([, name = '']) => name));
    const product = ['.ts', '.tsx'].flatMap((extension) => filesIn('', extension)).filter((path) => !path.startsWith('test/'));
    const countOf = (name: string) => product.filter((path) => basename(path) === name).length;
    assert.ok(names.size > 20);
    assert.deepEqual(
      [...names].filter((name) => countOf(name) > 1),
      [],
    );
  });

  it('documents are all listed in docs/README.md', () => {
    const index = textOf('docs/README.md');
    const missing = documents
      .filter((path) => path.startsWith('docs/') && path !== 'docs/README.md')
      .filter((path) => !index.includes(`](${path.slice('docs/'.length)})`));
    assert.deepEqual(missing, []);
  });
});
