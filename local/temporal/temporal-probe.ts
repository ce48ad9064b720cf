/** Asks a Temporal server whether it serves us. The client library is loaded only here, while servers start anyway. */
import { setTimeout as sleep } from 'node:timers/promises';
import { grpcStatus } from '../../models/network/grpc-status.js';
import { type TemporalServer, temporalServerOf } from '../../models/settings/connection-settings.js';
import { reasonOf, StartError } from '../output/start-error.js';

/** Resolves once the server answers for the namespace. */
export async function untilTemporalServes(
  address: string,
  namespace: string,
  signal: AbortSignal,
  notYet: (error: unknown) => void = () => undefined,
): Promise<void> {
  const server = temporalServerOf({ TEMPORAL_ADDRESS: address });
  while (!signal.aborted) {
    try {
      await askTemporal(server, namespace);
      return;
    } catch (error) {
      notYet(error);
      await sleep(50, undefined, { signal }).catch(() => undefined); // the server is still starting
    }
  }
}

/**
 * Checks a server that the user configured.
 * @returns its version
 * @throws StartError when it does not answer or lacks the namespace
 */
export async function requireTemporal(server: TemporalServer, namespace: string): Promise<string> {
  try {
    return await askTemporal(server, namespace);
  } catch (error) {
    if ((error as { code?: number }).code === grpcStatus.notFound) {
      throw new StartError(`Temporal at ${server.address} has no namespace "${namespace}": create it, or set TEMPORAL_NAMESPACE.`);
    }
    throw new StartError(`Temporal at ${server.address} (TEMPORAL_ADDRESS) cannot be used: ${reasonOf(error)}.`);
  }
}

async function askTemporal(server: TemporalServer, namespace: string): Promise<string> {
  const { Connection } = await import('@temporalio/client');
  const connection = await Connection.connect({ ...server, connectTimeout: 5_000 });
  try {
    return await connection.withDeadline(Date.now() + 5_000, async () => {
      await connection.workflowService.describeNamespace({ namespace });
      return (await connection.workflowService.getSystemInfo({})).serverVersion;
    });
  } finally {
    await connection.close();
  }
}
