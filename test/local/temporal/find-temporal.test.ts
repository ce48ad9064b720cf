import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { buildTemporal } from '../../../local/temporal/build-temporal.js';
import { downloadTemporal } from '../../../local/temporal/download-temporal.js';
import { findTemporal } from '../../../local/temporal/find-temporal.js';
import type { Command } from '../../../local/processes/part.js';
import { StartError } from '../../../local/output/start-error.js';
import { cachedPath, type InstallContext, temporalVersion, type Installer } from '../../../local/temporal/temporal-program.js';
import { temporaryFolder } from '../processes/stand-in.js';

function writeProgram(path: string, script: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}
const writeTemporal = (path: string, server: string, help = '') =>
  writeProgram(path, `[ "$1" = --version ] && echo "temporal version 1.0.0 (Server ${server}, UI 2.0.0)" || echo "help ${help}"`);
/** A way that succeeds. */
const open: Installer = async (target) => void writeTemporal(target, '1.31.2');
const closed =
  (reason: string): Installer =>
  () =>
    Promise.reject(new Error(reason));
const noWays = { one: closed('shut'), other: closed('shut too') };

describe('finding Temporal', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let lines: string[];
  let ran: Command[];
  let context: InstallContext;
  let cache: string;
  beforeEach(() => {
    folder = temporaryFolder();
    lines = [];
    ran = [];
    context = {
      env: { PATH: `${folder.path}/bin1:${folder.path}/bin2:/bin:/usr/bin`, XDG_CACHE_HOME: `${folder.path}/cache` },
      logDir: folder.path,
      say: (line) => lines.push(line),
      run: async (command) => {
        ran.push(command);
        return '';
      },
    };
    cache = cachedPath(context.env);
  });
  afterEach(() => folder.remove());

  const inBin = (number: number) => join(folder.path, `bin${number}`, 'temporal');

  it('a Temporal on PATH is used first', async () => {
    writeTemporal(cache, '1.31.2');
    writeTemporal(inBin(2), '1.29.0');
    assert.deepEqual(await findTemporal(context, noWays), { path: inBin(2), server: '1.29.0', canDisableNews: false });
    assert.deepEqual(lines, []);
  });

  it('a program on PATH that is too old or not Temporal is skipped, with a line in the output', async () => {
    writeTemporal(inBin(1), '1.28.4');
    writeProgram(inBin(2), 'exit 3');
    writeTemporal(cache, '1.31.2', '--ui-disable-news-fetch');
    assert.deepEqual(await findTemporal(context, noWays), { path: cache, server: '1.31.2', canDisableNews: true });
    assert.equal(lines.length, 2);
    assert.equal(lines[0], `${inBin(1)} was skipped: it has server 1.28.4, needed is 1.29 or newer`);
    assert.ok(lines[1]?.startsWith(`${inBin(2)} was skipped: `));
  });

  it('versions of Temporal are compared as numbers', async () => {
    writeTemporal(inBin(1), '1.100.0');
    writeTemporal(inBin(2), '2.0.0');
    assert.equal((await findTemporal(context, noWays)).server, '1.100.0');
  });

  it('a Temporal is obtained by the first way that is open, and once', async () => {
    assert.equal((await findTemporal(context, { one: closed('shut'), other: open, never: assert.fail as Installer })).path, cache);
    assert.equal((await findTemporal(context, noWays)).path, cache);
  });

  it('a damaged Temporal in the cache is replaced', async () => {
    writeProgram(cache, 'exit 1');
    assert.equal((await findTemporal(context, { open })).path, cache);
    assert.equal(lines.length, 1);
  });

  it('an error in one sentence says what to install when no way to a Temporal is left', async () => {
    await assert.rejects(findTemporal(context, noWays), (error) => {
      assert.ok(error instanceof StartError);
      assert.match(
        error.message,
        /^There is no Temporal server: install .+ or Go .+, or set TEMPORAL_ADDRESS\. \(one: shut; other: shut too\)$/,
      );
      return true;
    });
  });

  it('a Temporal is built into the cache, whole or not at all', async () => {
    writeProgram(join(folder.path, 'bin1', 'go'), 'echo go version go1.26.4 linux/amd64');
    const built = async (command: Command) => {
      ran.push(command);
      writeTemporal(command.args[command.args.indexOf('-o') + 1] as string, '1.31.2');
      return '';
    };
    await buildTemporal(cache, { ...context, run: built });
    assert.ok(existsSync(cache));
    assert.ok(existsSync(join(ran[0]?.cwd as string, 'go.sum')), 'built where the module is pinned');
    assert.match(lines[0] as string, /takes about 5 minutes \(only once\)/);
    const elsewhere = join(folder.path, 'elsewhere', 'temporal');
    await assert.rejects(buildTemporal(elsewhere, { ...context, run: () => Promise.reject(new Error('no modules')) }), /no modules/);
    assert.deepEqual(readdirSync(dirname(elsewhere)), []);
  });

  it('a Temporal is not built without go, or if go is too old', async () => {
    await assert.rejects(buildTemporal(cache, { ...context, env: { PATH: '/nowhere' } }), /go is not on PATH/);
    writeProgram(join(folder.path, 'bin1', 'go'), 'echo go version go1.19.8 linux/amd64');
    await assert.rejects(buildTemporal(cache, context), /go1\.19\.8 .*is too old/);
    assert.deepEqual(ran, []);
  });

  it('a Temporal is not built if the Go modules are out of reach', async () => {
    writeProgram(
      join(folder.path, 'bin1', 'go'),
      '[ $1 = version ] && echo go version go1.26.4 linux/amd64 || { echo no proxy >&2; exit 1; }',
    );
    await assert.rejects(buildTemporal(cache, context), /the Go modules are out of reach \(no proxy\)/);
    assert.deepEqual([ran, lines], [[], []]);
  });

  it('a download of Temporal ends within seconds if its host does not answer', async function () {
    this.timeout(20_000);
    const { fetch } = globalThis;
    globalThis.fetch = (_url, options) =>
      new Promise((_resolve, reject) => options?.signal?.addEventListener('abort', () => reject(options.signal?.reason as Error)));
    try {
      await assert.rejects(downloadTemporal(cache, context), /temporal\.download does not answer \(.*timeout\)/);
    } finally {
      globalThis.fetch = fetch;
    }
  });

  describe('with a download host that answers', () => {
    const { fetch } = globalThis;
    const digest = createHash('sha256').update('the program').digest('hex');
    beforeEach(() => {
      globalThis.fetch = () => Promise.resolve(new Response('{}'));
      context.run = async ({ args }) => {
        writeFileSync(join(args[1] ?? '', 'temporal-sdk-typescript'), 'the program');
        return '';
      };
    });
    afterEach(() => {
      globalThis.fetch = fetch;
    });
    const download = (wanted: string) => downloadTemporal(cache, { ...context, env: { ...context.env, TEMPORAL_CLI_SHA256: wanted } });

    it('a downloaded file is kept, and one line shows its version and SHA-256', async () => {
      await download('');
      assert.equal(readFileSync(cache, 'utf8'), 'the program');
      assert.deepEqual(lines.slice(1), [
        `the downloaded Temporal ${temporalVersion} has the SHA-256 ${digest}; TEMPORAL_CLI_SHA256=${digest} accepts no other`,
      ]);
    });

    it('a downloaded file with the SHA-256 of TEMPORAL_CLI_SHA256 is kept, in any letter case', async () => {
      await download(digest.toUpperCase());
      assert.ok(existsSync(cache));
      assert.equal(lines.length, 1);
    });

    it('a downloaded file with another SHA-256 is not used, and the output says so', async () => {
      await assert.rejects(download('0'.repeat(64)), /has the SHA-256 [0-9a-f]{64}, not that of TEMPORAL_CLI_SHA256$/);
      assert.deepEqual(readdirSync(dirname(cache)), []);
      assert.match(lines[1] ?? '', /it is not used$/);
    });
  });

  it('the version of Temporal is the one that go.mod pins', () => {
    const goMod = readFileSync(resolve(import.meta.dirname, '../../../../local/temporal/go.mod'), 'utf8');
    assert.match(goMod, new RegExp(`github\\.com/temporalio/cli v${temporalVersion.replaceAll('.', '\\.')}\\s`));
  });
});
