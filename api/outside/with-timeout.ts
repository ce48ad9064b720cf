/** Calls of Temporal with a timeout. */
import { type Client, isGrpcServiceError, WorkflowUpdateRPCTimeoutOrCancelledError } from '@temporalio/client';
import { grpcStatus } from '../../models/network/grpc-status.js';

/**
 * Calls Temporal, and fails the call after a time.
 * @param who the server that the error names
 * @throws an error that names the server and the time, for the log: those of the library name neither
 */
export async function withTimeout<T>(client: Client, who: string, timeoutMs: number, call: () => Promise<T>): Promise<T> {
  try {
    return await client.withDeadline(Date.now() + timeoutMs, call);
  } catch (error) {
    if (!isTimeout(error)) throw error;
    throw new Error(`${who} did not answer within ${timeoutMs / 1000} s`, { cause: error });
  }
}

/** The library may put the error of gRPC into one of its own. */
function isTimeout(error: unknown): boolean {
  if (error instanceof WorkflowUpdateRPCTimeoutOrCancelledError) return true;
  if (isGrpcServiceError(error)) return (error.code as number) === grpcStatus.deadlineExceeded;
  return error instanceof Error && error.cause !== undefined && isTimeout(error.cause);
}
