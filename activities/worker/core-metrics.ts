/** Temporal's own metrics of a thread. The SDK serves them on a port of the loopback address, and the metrics page of the process includes them. */
import type { TelemetryOptions } from '@temporalio/worker';
import { noteCorePage } from '../../models/metrics/threads.js';
import { freePort } from '../../models/network/free-port.js';
import type { Config } from '../../models/settings/config.js';

/** Histograms that no board and no alert reads. Each bucket is a series for each type of workflow or activity, so they have two in place of up to eight. */
const fewBuckets = Object.fromEntries(
  [
    'activity_execution_latency', // also local_activity_…, because the SDK looks for names that contain it
    'activity_succeed_endtoend_latency',
    'workflow_endtoend_latency',
    'workflow_task_replay_latency',
    'request_latency',
  ].map((name) => [name, [1, 10]]),
);

/** Options of the SDK's runtime. @param part names the thread, because all threads have the same metrics */
export async function coreTelemetry({ metrics }: Pick<Config, 'metrics'>, part: string): Promise<TelemetryOptions> {
  if (metrics.port === 0) return {};
  // The SDK does not report its port, so we choose one.
  const bindAddress = `127.0.0.1:${await freePort()}`;
  noteCorePage(bindAddress);
  return {
    metrics: {
      prometheus: {
        bindAddress,
        countersTotalSuffix: true,
        unitSuffix: true,
        useSecondsForDurations: true,
        histogramBucketOverrides: fewBuckets,
      },
      globalTags: { part },
    },
  };
}
