import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { takeLock } from '../../../local/processes/lock.js';
import { identify } from '../../../local/processes/process-identity.js';
import { StartError } from '../../../local/output/start-error.js';
import { deadPid } from '../../support/parts/child.js';
import { temporaryFolder } from './stand-in.js';

const lockModule = resolve(import.meta.dirname, '../../../local/processes/lock.js');

describe('lock of a folder', () => {
  let folder: ReturnType<typeof temporaryFolder>;
  beforeEach(() => {
    folder = temporaryFolder();
  });
  afterEach(() => folder.remove());

  const leaveLock = (content: string) => writeFileSync(join(folder.path, 'lock.json'), content);

  it('the lock of a folder is held by one process at a time', () => {
    const release = takeLock(folder.path);
    assert.throws(
      () => takeLock(folder.path),
      (error) => error instanceof StartError && error.message.includes(`already runs on ${folder.path} (process ${process.pid})`),
    );
    release();
    takeLock(folder.path)();
    assert.deepEqual(readdirSync(folder.path), []);
  });

  it('the lock of a folder is taken from a dead or unreadable holder', () => {
    const self = identify(process.pid);
    const leftBehind = [JSON.stringify({ pid: deadPid, started: 'x' }), JSON.stringify({ ...self, started: 'long ago' }), '{"pid":', ''];
    for (const content of leftBehind) {
      leaveLock(content);
      assert.doesNotThrow(() => takeLock(folder.path)(), content);
    }
  });

  it('the lock of a folder is taken from a dead holder by exactly one of many', async () => {
    leaveLock(JSON.stringify({ pid: deadPid, started: 'x' }));
    const script = `const { takeLock } = await import(${JSON.stringify(lockModule)});
      try { takeLock(${JSON.stringify(folder.path)}); console.log('taken'); } catch { console.log('refused'); } setInterval(() => {}, 1e6);`;
    const rivals = Array.from({ length: 6 }, () =>
      spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] }),
    );
    try {
      const answers = await Promise.all(rivals.map(async ({ stdout }) => String((await once(stdout, 'data'))[0]).trim()));
      assert.equal(answers.filter((answer) => answer === 'taken').length, 1, answers.join());
    } finally {
      for (const rival of rivals) rival.kill('SIGKILL');
    }
  });
});
