/** Temporal for tests: one namespace per file, so that workers of parallel files never share a queue. */
import { randomUUID } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';

export interface TestTemporal {
  address: string;
  namespace: string;
  connection: Connection;
  client: Client;
  /** Creates the namespace again after its server has lost it. */
  register(): Promise<void>;
  close(): Promise<void>;
}

/** Registers a new namespace, by default on the server of the test run. */
export async function freshNamespace(address = process.env.TEST_TEMPORAL): Promise<TestTemporal> {
  if (address === undefined) throw new Error('the test servers are not running: use npm test');
  const connection = await Connection.connect({ address });
  const namespace = `test-${randomUUID()}`;
  const register = async () => {
    await connection.workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: { seconds: 86_400 } as never });
  };
  await register();
  return { address, namespace, connection, client: new Client({ connection, namespace }), register, close: () => connection.close() };
}
