import assert from 'node:assert/strict';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { withHeartbeat } from '../../../activities/support/heartbeat.js';
import { letTimePass } from '../../support/shift-clock.js';

describe('an activity with heartbeats', () => {
  const heartbeatTimeoutMs = 3_000; // a busy machine may stop for a second
  const run = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> =>
    new MockActivityEnvironment({ heartbeatTimeoutMs }).run(() => withHeartbeat(work)) as Promise<T>;

  it('an activity ends when its process was frozen for longer than the heartbeat timeout, as another worker has it', async () => {
    await run(async (signal) => {
      const restore = letTimePass(2 * heartbeatTimeoutMs);
      try {
        if (!signal.aborted) await once(signal, 'abort', { signal: AbortSignal.timeout(10_000) });
      } finally {
        restore();
      }
    });
  });

  it('an activity goes on while its process sends its heartbeats', async () => {
    await run(async (signal) => {
      await sleep(1.5 * heartbeatTimeoutMs);
      assert.equal(signal.aborted, false);
    });
  });
});
