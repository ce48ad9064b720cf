/** Steady sends from a process of their own, as the bench sees it. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Cleanup, stopChild } from './cleanup.js';
import type { SendsOrder } from './sends-process.js';
import type { SteadySends } from './steady-sends.js';

export async function sendsOfOwn(order: SendsOrder, cleanup: Cleanup): Promise<SteadySends> {
  const child = fork(join(import.meta.dirname, 'sends-process.js'), { serialization: 'advanced', execArgv: [] });
  cleanup.add(() => stopChild(child));
  child.send(order);
  const [sends] = (await once(child, 'message')) as [SteadySends];
  child.disconnect();
  return sends;
}
