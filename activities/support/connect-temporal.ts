/** Connects to Temporal, or says why that is impossible. */
import { Connection, isGrpcServiceError, NamespaceNotFoundError } from '@temporalio/client';
import { grpcStatus } from '../../models/network/grpc-status.js';
import type { TemporalServer } from '../../models/settings/connection-settings.js';

/** Temporal cannot be used. The message says why. */
export class TemporalError extends Error {
  /** The class is lost on the way from one thread to another. The name is not. */
  override name = 'TemporalError';
}

/** How long to wait for a server that is starting. */
export const patienceMs = 10_000;

const probeMs = 3_000;
const answerMsMax = 2_000;

/**
 * @param forMs how long to wait for a server that is starting
 * @throws TemporalError
 */
export async function connectToTemporal(server: TemporalServer, forMs = patienceMs): Promise<Connection> {
  const connection = Connection.lazy({ ...server, connectTimeout: forMs });
  try {
    await connection.ensureConnected();
    return connection;
  } catch (error) {
    await connection.close();
    throw temporalError(server, callErrorOf(error) ?? (await probe(server)) ?? error);
  }
}

const credentialRefused: readonly number[] = [grpcStatus.permissionDenied, grpcStatus.unauthenticated];

/**
 * Whether Temporal answers within two seconds, and has this namespace.
 * @throws if it refuses the credential. Only a process that starts anew reads another one
 */
export async function hasNamespace(server: TemporalServer, namespace: string): Promise<boolean> {
  const connection = Connection.lazy(server);
  try {
    await connection.withDeadline(Date.now() + answerMsMax, () => connection.workflowService.describeNamespace({ namespace }));
    return true;
  } catch (error) {
    if (isGrpcServiceError(error) && credentialRefused.includes(error.code)) throw temporalError(server, error);
    return false;
  } finally {
    await connection.close();
  }
}

/** The error of a call to Temporal, with the address. Any other error stays as it is. */
export function explainTemporalError(server: TemporalServer, error: unknown): unknown {
  if (error instanceof NamespaceNotFoundError)
    return new TemporalError(`Temporal at ${server.address} has no namespace "${error.namespace}": create it, or set TEMPORAL_NAMESPACE`);
  const callError = callErrorOf(error);
  return callError === null ? error : temporalError(server, callError);
}

/** The SDK wraps the errors of some calls. */
const callErrorOf = (error: unknown) => [error, (error as Error).cause].find(isGrpcServiceError) ?? null;

/**
 * A connection that waits for its server hides why it fails. A call that does not wait says it.
 * @returns null if the call succeeds
 */
async function probe(server: TemporalServer): Promise<unknown> {
  const connection = Connection.lazy({ ...server, interceptors: [] });
  try {
    await connection.withDeadline(Date.now() + probeMs, () => connection.workflowService.getSystemInfo({}));
    return null;
  } catch (error) {
    return error;
  } finally {
    await connection.close();
  }
}

/** The error of a call or a connection to Temporal, with the address. */
export function temporalError({ address }: TemporalServer, error: unknown): TemporalError {
  const text = isGrpcServiceError(error) ? error.details : (error as Error).message;
  const [, reason = text] = /Last error: (?:Error: )?(.+?)(?:\. Resolution note: |\n|$)/.exec(text) ?? [];
  return new TemporalError(`Temporal at ${address} (TEMPORAL_ADDRESS) cannot be used: ${reason}`);
}
