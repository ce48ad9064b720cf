/** Senders in a separate process. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Cleanup, stopChild } from '../stage/cleanup.js';
import type { OpenSend } from './open-sends.js';
import type { SendsCommand } from './sends-process.js';
import type { SteadySends } from './steady-sends.js';

type Sends = Omit<SendsCommand, 'kind'>;

/** Sends at a steady rate. Resolves when all clients are connected, to a function that starts the sends. */
export const prepareSteadySends = (sends: Sends, cleanup: Cleanup) => connect<SteadySends>({ ...sends, kind: 'steady' }, cleanup);
/** Sends at a fixed rate (open loop). */
export const sendOpenLoop = async (sends: Sends, cleanup: Cleanup) => (await connect<OpenSend[]>({ ...sends, kind: 'open' }, cleanup))();

async function connect<Result>(command: SendsCommand, cleanup: Cleanup): Promise<() => Promise<Result>> {
  const child = fork(join(import.meta.dirname, 'sends-process.js'), { serialization: 'advanced', execArgv: [] });
  cleanup.add(() => stopChild(child));
  child.send(command);
  await once(child, 'message');
  return async () => {
    child.send('begin');
    const [result] = (await once(child, 'message')) as [Result];
    child.disconnect();
    return result;
  };
}
