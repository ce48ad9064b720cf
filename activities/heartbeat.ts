import { activityInfo, Context, heartbeat } from '@temporalio/activity';

/**
 * Runs an activity's work while telling the server that this process is alive, so that after a crash another worker takes
 * over within the heartbeat timeout instead of the whole start-to-close timeout.
 */
export async function withHeartbeat<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const everyMs = (activityInfo().heartbeatTimeoutMs ?? 10_000) / 3;
  const timer = setInterval(() => heartbeat(), everyMs);
  try {
    return await work(Context.current().cancellationSignal);
  } finally {
    clearInterval(timer);
  }
}
