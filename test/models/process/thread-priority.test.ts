import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** Field 19 of proc_pid_stat(5); the name before it, in parentheses, may hold spaces. */
const nicenessOf = (stat: string) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);

describe('lowerThreadPriority', () => {
  it('the priority is lowered for the calling thread only', async function () {
    if (process.platform !== 'linux') this.skip();
    const before = nicenessOf(readFileSync('/proc/thread-self/stat', 'utf8'));
    const module = new URL('../../../models/process/thread-priority.js', import.meta.url).href;
    const code = `
      const { lowerThreadPriority } = await import('${module}');
      const { readFileSync } = await import('node:fs');
      const { parentPort } = await import('node:worker_threads');
      lowerThreadPriority();
      parentPort.postMessage(readFileSync('/proc/thread-self/stat', 'utf8'));`;
    const thread = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
    const [stat] = (await once(thread, 'message')) as [string];
    assert.deepEqual([nicenessOf(stat), nicenessOf(readFileSync('/proc/thread-self/stat', 'utf8'))], [Math.max(10, before), before]);
  });
});
