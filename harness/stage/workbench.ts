/** Everything that a run needs, started in a folder of its own: receiver, service. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { Cleanup } from './cleanup.js';
import { type FinishedMessages, watchFinishedMessages } from '../measure/finished-messages.js';
import { type Receiver, startReceiver } from '../load/receiver.js';
import { eachPart, type PartName, type Service, startService } from './service.js';

export interface Workbench {
  folder: string;
  receiver: Receiver;
  service: Service;
  finished: FinishedMessages;
  /** Asks the service's Temporal. */
  client: Client;
}

/**
 * Starts it. Its folder is removed in the end, or kept for its logs when the run has failed.
 * @param env settings of the service beside the usual ones of the bench
 */
export async function openWorkbench(env: NodeJS.ProcessEnv, cleanup: Cleanup): Promise<Workbench> {
  const folder = await mkdtemp(join(tmpdir(), 'tidings-bench-'));
  cleanup.add(async (hasFailed) => {
    if (hasFailed) process.stderr.write(`The logs of the service are in ${join(folder, 'logs')}\n`);
    else await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  });
  const receiver = await startReceiver(folder, cleanup);
  const service = await startService(folder, { NODE_EXTRA_CA_CERTS: receiver.authorityFile, ...env }, cleanup);
  const connection = await Connection.connect({ address: service.temporalAddress });
  cleanup.add(() => connection.close());
  const finished = watchFinishedMessages(service.databaseUrl, cleanup);
  return { folder, receiver, service, finished, client: new Client({ connection }) };
}

/** Process ids of the parts. */
export const servicePids = (bench: Workbench) => eachPart((part) => pidOf(bench, part));

/** Process id of a part of the service. */
export function pidOf({ service }: Workbench, name: PartName): number {
  const part = service.part(name);
  if (part === undefined) throw new Error(`${name} does not run`);
  return part.pid;
}
