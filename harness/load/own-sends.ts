/** Sends from a process of their own, as the bench sees them. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Cleanup, stopChild } from '../stage/cleanup.js';
import type { OpenSend } from './open-sends.js';
import type { SendsOrder } from './sends-process.js';
import type { SteadySends } from './steady-sends.js';

type Order = Omit<SendsOrder, 'kind'>;

/** Sends at a steady rate, and what became of them. Resolves when all clients are connected, with what begins them. */
export const sendsOfOwn = (order: Order, cleanup: Cleanup) => connect<SteadySends>({ ...order, kind: 'steady' }, cleanup);
/** Sends at a fixed rate, one by one. */
export const openSendsOfOwn = async (order: Order, cleanup: Cleanup) => (await connect<OpenSend[]>({ ...order, kind: 'open' }, cleanup))();

async function connect<Result>(order: SendsOrder, cleanup: Cleanup): Promise<() => Promise<Result>> {
  const child = fork(join(import.meta.dirname, 'sends-process.js'), { serialization: 'advanced', execArgv: [] });
  cleanup.add(() => stopChild(child));
  child.send(order);
  await once(child, 'message');
  return async () => {
    child.send('begin');
    const [result] = (await once(child, 'message')) as [Result];
    child.disconnect();
    return result;
  };
}
