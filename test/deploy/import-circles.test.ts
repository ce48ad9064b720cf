/**
 * No file imports itself by way of others. The linter's `no-cycle` misses specifiers that end in `.js` and mean `.tsx`, and dynamic imports;
 * here both count, and types too.
 */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root, textOf } from './project.js';

const rooms = ['activities', 'api', 'bench', 'clients', 'console', 'harness', 'local', 'models', 'test', 'verify', 'workflows'];

/** `from '…'`, `import '…'` and `import('…')`, of our own files. */
const importPattern = /\b(?:from|import)\s*\(?\s*'(\.[^']+)\.js'/g;

/** The files that each file imports. */
type Graph = ReadonlyMap<string, readonly string[]>;

/** @param texts the text of each source by its path */
function graphOf(texts: ReadonlyMap<string, string>): Graph {
  const importsOf = (path: string, text: string) =>
    [...text.matchAll(importPattern)].flatMap(([, specifier = '']) => {
      const file = join(dirname(path), specifier);
      return [`${file}.ts`, `${file}.tsx`].filter((each) => texts.has(each));
    });
  return new Map([...texts].map(([path, text]) => [path, importsOf(path, text)]));
}

/** The files that are left when those that import none of the others are taken away, again and again, and then those that none imports. */
function circlesOf(graph: Graph): string[] {
  const left = new Set(graph.keys());
  const peel = (isOutside: (file: string) => boolean) => {
    let before: number;
    do {
      before = left.size;
      for (const file of left) if (isOutside(file)) left.delete(file);
    } while (left.size < before);
  };
  peel((file) => !(graph.get(file) ?? []).some((imported) => left.has(imported)));
  peel((file) => ![...left].some((importer) => graph.get(importer)?.includes(file)));
  return [...left].toSorted();
}

function sources(): Map<string, string> {
  const paths = rooms.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).map((name) => join(room, name)),
  );
  return new Map(paths.filter((path) => /\.tsx?$/.test(path) && !path.includes('node_modules')).map((path) => [path, textOf(path)]));
}

describe('imports of the sources', () => {
  it('imports of the sources form no circle', () => {
    const graph = graphOf(sources());
    const edges = [...graph.values()].flat().length;
    assert.ok(graph.size > 1_000 && edges > 3 * graph.size, `${edges} imports of ${graph.size} files were found`);
    assert.deepEqual(circlesOf(graph), []);
  });

  const planted: [what: string, there: string, back: string][] = [
    ['types', "import type { B } from './b.js';", "import { type A } from './a.js';"],
    ['a dynamic import', "const load = () => import('./b.js');", "import type { A } from './a.js';"],
    ['what is passed on', "export * from './b.js';", "import './a.js';"],
  ];
  for (const [what, there, back] of planted) {
    it(`imports that form a circle by ${what} are found`, () => {
      const texts = new Map([
        ['room/a.tsx', there],
        ['room/b.ts', `${back} import { c } from './below.js';`],
        ['room/above.ts', "import { a } from './a.js';"],
        ['room/below.ts', ''],
      ]);
      assert.deepEqual(circlesOf(graphOf(texts)), ['room/a.tsx', 'room/b.ts']);
    });
  }
});
