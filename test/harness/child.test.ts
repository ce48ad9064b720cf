import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Cleanup } from '../../harness/stage/cleanup.js';
import { ask, nextMessage, startChild } from '../../harness/stage/child.js';

describe('children of a measurement', () => {
  let folder: string;
  let cleanup: Cleanup;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tidings-child-'));
    cleanup = new Cleanup();
  });
  afterEach(async () => {
    await cleanup.run(false);
    rmSync(folder, { recursive: true, force: true });
  });
  const start = (code: string) => {
    const script = join(folder, 'child.mjs');
    writeFileSync(script, code);
    return startChild(script, cleanup);
  };

  it('a child answers a command, and its maps arrive as maps', async () => {
    const child = start(`process.once('message', (given) => process.send(new Map([['given', given]])));`);
    assert.deepEqual(await ask(child, { number: 1 }), new Map([['given', { number: 1 }]]));
  });

  it('a run learns at once that a child ended before or while it waits', async () => {
    const child = start('process.exit(0);');
    await assert.rejects(nextMessage(child), /ended before it answered/);
    await assert.rejects(ask(child, 'begin'), /ended before it answered/);
  });
});
