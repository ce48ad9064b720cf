/** What a client author gets: types from the document, a client over them that compiles, and calls that do what their types say. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../../deploy/project.js';
import { useApi } from '../use-api.js';

const sources = join(root, 'test/client');
const tools = { generator: 'openapi-typescript/bin/cli.js', compiler: 'typescript/bin/tsc' };

describe('client types', () => {
  const app = useApi();
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-client-'));
    for (const name of ['client.ts', 'calls.ts', 'tsconfig.json']) cpSync(join(sources, name), join(folder, name));
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function run(tool: keyof typeof tools, ...args: string[]): void {
    const script = join(sources, 'node_modules', tools[tool]);
    const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { cwd: folder, encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
  }

  it('client types accept correct calls and refuse wrong ones at compile time', async () => {
    writeFileSync(join(folder, 'openapi.json'), await (await fetch(`${app.url}/openapi.json`)).text());
    run('generator', 'openapi.json', '--output', 'tidings.d.ts');
    run('compiler', '--project', '.');
  });

  it('client types match the answers when the client sends, reads and lists', async () => {
    const { jwt, key } = await app.account();
    const { rightCalls } = (await import(pathToFileURL(join(folder, 'out/calls.js')).href)) as {
      rightCalls(
        url: string,
        credential: object,
      ): Promise<{ status: string; credits: number[]; deliveredAt: string | null; total: number }>;
    };
    const { status, credits, deliveredAt, total } = await rightCalls(app.url, { apiKey: key, token: jwt });
    assert.deepEqual({ status, credits, deliveredAt, total }, { status: 'queued', credits: [1, 0.1, 0.1], deliveredAt: null, total: 1 });
  });
});
