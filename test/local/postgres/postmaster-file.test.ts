import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { settlePostmasterFile } from '../../../local/postgres/postmaster-file.js';
import { identify } from '../../../local/processes/process-identity.js';
import { until } from '../../support/client.js';
import { deadPid } from '../../support/parts/child.js';
import { temporaryFolder, zombieKeeper } from '../processes/stand-in.js';

const stop = [{ signal: 'SIGINT', waitMs: 2_000 }] as const;

describe('postmaster.pid', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  let path: string;
  const children: ChildProcess[] = [];
  beforeEach(() => {
    folder = temporaryFolder();
    path = join(folder.path, 'postmaster.pid');
  });
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL');
    folder.remove();
  });

  async function start(command: string, args: string[]): Promise<ChildProcess> {
    const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'ignore'] });
    children.push(child);
    await once(child.stdout, 'data');
    return child;
  }

  it('postmaster.pid is kept when no process has its pid', async () => {
    await settlePostmasterFile(folder.path, stop);
    writeFileSync(path, `${deadPid}\n${folder.path}\n`);
    await settlePostmasterFile(folder.path, stop);
    assert.ok(existsSync(path));
  });

  it('postmaster.pid is removed when another program has its pid', async () => {
    const other = await start('sh', ['-c', `echo up; exec sleep 60 # postgres -D elsewhere`]);
    writeFileSync(path, `${other.pid}\n${folder.path}\n`);
    await settlePostmasterFile(folder.path, stop);
    assert.ok(!existsSync(path));
    assert.equal(other.signalCode, null);
  });

  it('postmaster.pid is removed when a zombie has its pid', async function () {
    if (process.platform !== 'linux') this.skip();
    const parent = spawn('sh', ['-c', zombieKeeper], { stdio: ['ignore', 'pipe', 'ignore'] });
    children.push(parent);
    const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
    await until(() => identify(Number(pid)) === undefined, 'the process is a zombie');
    writeFileSync(path, `${String(pid).trim()}\n${folder.path}\n`);
    await settlePostmasterFile(folder.path, stop);
    assert.ok(!existsSync(path));
  });

  it('an unrecorded server of this cluster is ended', async () => {
    const program = join(folder.path, 'postgres');
    writeFileSync(program, '#!/bin/sh\necho up\nwhile :; do sleep 0.05; done\n');
    chmodSync(program, 0o755);
    const server = await start(program, ['-D', folder.path, '-c', 'port=1']);
    const exit = once(server, 'exit');
    writeFileSync(path, `${server.pid}\n${folder.path}\n`);
    await settlePostmasterFile(folder.path, stop);
    assert.deepEqual(await exit, [null, 'SIGINT']);
  });
});
