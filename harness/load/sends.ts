/** Senders in a separate process. */
import { join } from 'node:path';
import { ask, startChild } from '../stage/child.js';
import type { Cleanup } from '../stage/cleanup.js';
import type { OpenSend } from './open-sends.js';
import type { SendsCommand } from './sends-process.js';
import type { SteadySends } from './steady-sends.js';

type Sends = Omit<SendsCommand, 'kind'>;

/** For the responses to the last sends. */
const restMsMax = 60_000;

/** Sends at a steady rate. Resolves when all clients are connected, to a function that starts the sends. */
export const prepareSteadySends = (sends: Sends, cleanup: Cleanup) => connect<SteadySends>({ ...sends, kind: 'steady' }, cleanup);
/** Sends at a fixed rate (open loop). */
export const sendOpenLoop = async (sends: Sends, cleanup: Cleanup) => (await connect<OpenSend[]>({ ...sends, kind: 'open' }, cleanup))();

async function connect<Result>(command: SendsCommand, cleanup: Cleanup): Promise<() => Promise<Result>> {
  const child = startChild(join(import.meta.dirname, 'sends-process.js'), cleanup);
  await ask(child, command);
  return async () => {
    const result = await ask<Result>(child, 'begin', command.seconds * 1_000 + restMsMax);
    child.disconnect();
    return result;
  };
}
