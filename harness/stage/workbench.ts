/** The environment of a run: receiver and service, in their own folder. */
import { Client, Connection } from '@temporalio/client';
import { openAccount } from '../load/account.js';
import type { Cleanup } from './cleanup.js';
import { type FinishedMessages, watchFinishedMessages } from '../measure/finished-messages.js';
import { type Receiver, startReceiver } from '../load/receiver.js';
import { eachPart, type PartName, type Service, startService } from './service.js';
import { temporaryFolder } from './temporary-folder.js';

export interface Workbench {
  folder: string;
  receiver: Receiver;
  service: Service;
  finished: FinishedMessages;
  /** A client of the service's Temporal. */
  client: Client;
}

/**
 * Starts the workbench. Its folder is removed at the end, or kept for its logs if the run fails.
 * @param env settings of the service in addition to the defaults of the bench
 */
export async function openWorkbench(env: NodeJS.ProcessEnv, cleanup: Cleanup): Promise<Workbench> {
  const folder = temporaryFolder('bench', cleanup);
  const receiver = await startReceiver(folder, cleanup);
  const service = await startService(folder, { NODE_EXTRA_CA_CERTS: receiver.authorityFile, ...env }, cleanup);
  const connection = await Connection.connect({ address: service.temporalAddress });
  cleanup.add(() => connection.close());
  const finished = watchFinishedMessages(service.databaseUrl, cleanup);
  return { folder, receiver, service, finished, client: new Client({ connection }) };
}

/** Creates an account whose webhook is the receiver. @returns its API key */
export async function openSubscriber({ service, receiver }: Workbench): Promise<string> {
  const { apiKey, subscribe } = await openAccount(service.baseUrl);
  receiver.trust(await subscribe(receiver.url));
  return apiKey;
}

/** The process ids of the parts. */
export const servicePids = (bench: Workbench) => eachPart((part) => pidOf(bench, part));

/** The process id of a part of the service. */
export function pidOf({ service }: Workbench, name: PartName): number {
  const part = service.part(name);
  if (part === undefined) throw new Error(`${name} does not run`);
  return part.pid;
}
