import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { until } from '../support/client.js';

/** Reports repeatedly, for each thread, the difference between its clock and the parent's time. */
const script = `
  import { Worker, isMainThread, parentPort } from 'node:worker_threads';
  const tell = (thread) => (now) => process.send?.({ thread, now, made: new Date().getTime(), told: new Date(0).getTime(), text: typeof Date() });
  if (isMainThread) {
    setInterval(() => tell('main')(Date.now()), 20);
    new Worker(new URL(import.meta.url)).on('message', tell('second'));
  } else setInterval(() => parentPort.postMessage(Date.now()), 20);
`;

interface Told {
  thread: 'main' | 'second';
  now: number;
  made: number;
  told: number;
  text: string;
}

describe('a process with a shifted clock', () => {
  it('a process with a shifted clock is off by the offset in the file, in all threads, until that is removed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidings-clock-'));
    const [clock, program] = [join(folder, 'clock'), join(folder, 'clock.mjs')];
    writeFileSync(program, script);
    const preload = resolve(import.meta.dirname, '../support/shift-clock.js');
    const child = spawn(process.execPath, ['--import', preload, program], {
      env: { ...process.env, CLOCK_SHIFT_FILE: clock },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    const shift: Record<string, number> = {};
    child.on('message', ({ thread, now, made, told, text }: Told) => {
      shift[thread] = Math.round((now - Date.now()) / 1000);
      assert.ok(thread === 'second' || Math.abs(made - now) < 5_000);
      assert.deepEqual([told, text], [0, 'string']);
    });
    const bothAre = (seconds: number) => until(() => shift.main === seconds && shift.second === seconds, `${seconds} s in both threads`);
    await bothAre(0);
    writeFileSync(clock, '-30000');
    await bothAre(-30);
    writeFileSync(clock, '2000');
    await bothAre(2);
    rmSync(clock);
    await bothAre(0);
    child.kill();
    await once(child, 'exit');
    rmSync(folder, { recursive: true });
  });
});
