/** Senders in a separate process. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Cleanup, stopChild } from '../stage/cleanup.js';
import type { OpenSend } from './open-sends.js';
import type { SendsOrder } from './sends-process.js';
import type { SteadySends } from './steady-sends.js';

type Order = Omit<SendsOrder, 'kind'>;

/** Sends at a steady rate. Resolves when all clients are connected, to a function that starts the sends. */
export const sendsOfOwn = (order: Order, cleanup: Cleanup) => connect<SteadySends>({ ...order, kind: 'steady' }, cleanup);
/** Sends at a fixed rate (open loop). */
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
