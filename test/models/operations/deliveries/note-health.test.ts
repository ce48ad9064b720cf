import assert from 'node:assert/strict';
import { noteHealth } from '../../../../models/operations/deliveries/note-health.js';
import { webhookForEach } from '../../../support/for-each.js';

describe('the pauses of a circuit breaker', () => {
  const test = webhookForEach();

  /** The pauses after ten failed first attempts and four failed probes. */
  async function pausesWith(delays: readonly number[]): Promise<(number | null)[]> {
    const { row } = test.webhook;
    const failure = { webhookId: row.id, url: row.url, succeeded: false, isScheduled: true, retryAfterSeconds: null, delays };
    const [first, probe] = [
      { ...failure, isFirst: true, isProbe: false },
      { ...failure, isFirst: false, isProbe: true },
    ];
    const pauses: (number | null)[] = [];
    for (const notes of [Array.from({ length: 10 }, () => first), [probe], [probe], [probe], [probe]]) {
      await noteHealth(test.db, notes, 0);
      pauses.push((await row.reload()).pause_seconds);
    }
    return pauses;
  }

  for (const [delays, pauses] of [
    [
      [5, 300, 1800],
      [5, 10, 20, 40, 80],
    ],
    [
      [100, 1800],
      [100, 200, 300, 300, 300],
    ],
    [
      [20, 50],
      [20, 40, 50, 50, 50],
    ],
    [
      [3600, 7200],
      [300, 300, 300, 300, 300],
    ],
    [[1], [1, 2, 4, 5, 5]],
    [[], [5, 5, 5, 5, 5]],
  ] as const) {
    it(`the pauses with the delays [${delays.join(', ')}] are ${pauses.join(', ')} s`, async () => {
      assert.deepEqual(await pausesWith(delays), pauses);
    });
  }
});
