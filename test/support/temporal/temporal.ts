/** Temporal for tests: one namespace per file, so that workers of parallel files never share a queue. */
import { randomUUID } from 'node:crypto';
import { Client, Connection, ScheduleClient } from '@temporalio/client';
import { workflowIds } from '../../../workflows/contract.js';

export interface TestTemporal {
  address: string;
  namespace: string;
  connection: Connection;
  client: Client;
  /** Creates the namespace again after its server has lost it. */
  register(): Promise<void>;
  close(): Promise<void>;
}

/** `temporal.api.enums.v1.NamespaceState` */
const deletedState = 3;
const retireMsMax = 10_000;

/** Registers a new namespace, by default on the server of the test run. */
export async function freshNamespace(address = process.env.TEST_TEMPORAL): Promise<TestTemporal> {
  if (address === undefined) throw new Error('the test servers are not running: use npm test');
  const connection = await Connection.connect({ address });
  const namespace = `test-${randomUUID()}`;
  const register = async () => {
    await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: { seconds: 86_400 } as never });
  };
  await register();
  return {
    address,
    namespace,
    connection,
    client: new Client({ connection, namespace }),
    register,
    close: async () => {
      if (address === process.env.TEST_TEMPORAL) await retire(connection, namespace).catch(() => undefined); // it only costs more when it goes on
      await connection.close();
    },
  };
}

/** Ends what the server of the run would do for this namespace until the run ends: the schedule of the watcher, and a worker of its own. */
async function retire(connection: Connection, namespace: string): Promise<void> {
  await connection.withDeadline(Date.now() + retireMsMax, async () => {
    const watcher = new ScheduleClient({ connection, namespace }).getHandle(workflowIds.watcher);
    await watcher.delete().catch(() => undefined); // no worker has created it
    await connection.workflowService.updateNamespace({ namespace, updateInfo: { state: deletedState } });
  });
}
