/** Temporal's own metrics of a thread. The SDK serves them on a port of the loopback address, and the metrics page of the process includes them. */
import type { TelemetryOptions } from '@temporalio/worker';
import { noteCorePage } from '../../models/metrics/threads.js';
import { freePort } from '../../models/process/free-port.js';
import type { Config } from '../../models/settings/config.js';

/** Options of the SDK's runtime. @param part names the thread, because all threads have the same metrics */
export async function coreTelemetry({ metrics }: Pick<Config, 'metrics'>, part: string): Promise<TelemetryOptions> {
  if (metrics.port === 0) return {};
  // The SDK does not report its port, so we choose one.
  const bindAddress = `127.0.0.1:${await freePort()}`;
  noteCorePage(bindAddress);
  return {
    metrics: {
      prometheus: { bindAddress, countersTotalSuffix: true, unitSuffix: true, useSecondsForDurations: true },
      globalTags: { part },
    },
  };
}
