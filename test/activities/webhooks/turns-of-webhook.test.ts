import assert from 'node:assert/strict';
import { TurnsOfWebhook } from '../../../activities/webhooks/turns-of-webhook.js';
import type { Turns } from '../../../models/operations/webhooks/reserve-turns.js';

describe('turns of a webhook', () => {
  it('are reserved one after the other by attempts in parallel, so that a requested attempt finds one soon', async () => {
    const used: number[] = [];
    const usedBefore: number[] = [];
    const reserve = (): Promise<Turns> => {
      usedBefore.push(used.length);
      return Promise.resolve({ wait_ms: 10, every_ms: 1_000, count: 1 });
    };
    const turns = new TurnsOfWebhook(reserve, () => Promise.resolve(true));
    const attempts = [1, 2, 3, 4].map(async (each) => {
      assert.equal(await turns.next(4), true);
      used.push(each);
    });
    await Promise.all(attempts);
    assert.deepEqual({ used, usedBefore }, { used: [1, 2, 3, 4], usedBefore: [0, 1, 2, 3] });
  });
});
